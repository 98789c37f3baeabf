"""What leads to no trained output does not stand in its way; a first output may be absent."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.graph_request import GraphRequest
from solver.import_report import Topic
from solver.loading import load_training_graph
from tests.helpers.graph_checks import faults_of
from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight
from tests.solver.loaders.test_onnx_account import report_of, texts


def _detector(*, outputs: tuple[str, ...]) -> onnx.ModelProto:
    """Scores, and behind them how many are above zero, which only running tells."""
    nodes = [
        node("MatMul", "x w", "scores"),
        node("NonZero", "scores", "found", name="pick"),
        node("Magic", "found", "boxes", name="draw"),
    ]
    return model_of(nodes, [floats("x", 2, 8)], [weight("w", 8, 4)], outputs=outputs)


def test_that_nodes_that_lead_nowhere_are_left_out_and_told(tmp_path: Path) -> None:
    model = _detector(outputs=("scores",))
    assert [layer.name for layer in load(model, tmp_path).layers] == ["scores"]
    (told,) = texts(report_of(model, tmp_path), Topic.IGNORED)
    assert told == (
        "2 nodes lead to no output that is trained, left out because of what cannot be imported "
        "there: pick, draw"
    )


def test_that_nodes_that_lead_nowhere_but_can_be_imported_stay(tmp_path: Path) -> None:
    nodes = [node("MatMul", "x w", "y"), node("Relu", "y", "idle")]
    network = load(model_of(nodes, [floats("x", 2, 8)], [weight("w", 8, 4)]), tmp_path)
    assert [layer.name for layer in network.layers] == ["y", "idle"]


def test_that_a_chosen_output_needs_nothing_of_the_others(tmp_path: Path) -> None:
    model = _detector(outputs=("boxes", "scores"))
    assert load(model, tmp_path, output="scores").outputs == ("scores",)
    path = tmp_path / "test.onnx"
    graph = load_training_graph(GraphRequest(str(path), output="scores")).graph
    assert graph.settings.output == "scores"


def test_that_the_refusal_names_an_output_that_can_be_trained(tmp_path: Path) -> None:
    model = _detector(outputs=("boxes", "scores"))
    with pytest.raises(ModelError) as caught:
        load(model, tmp_path)
    assert caught.value.issues[0].message == "unsupported operator: Magic (node draw)"
    last = caught.value.issues[-1]
    assert "the number of elements it finds depends on the data" in last.message
    assert last.suggestion == "output scores does without it: --output scores"
    with pytest.raises(ModelError) as caught:
        load(model, tmp_path, output="boxes")
    assert not any("--output" in issue.suggestion for issue in caught.value.issues)


def test_that_a_file_with_its_own_loss_is_told_that_it_needs_none(tmp_path: Path) -> None:
    loss = node("SoftmaxCrossEntropyLoss", "h labels", name="loss")
    nodes = [node("MatMul", "x w", "h"), loss]
    labels = helper.make_tensor_value_info("labels", TensorProto.INT64, [2])
    model = model_of(nodes, [floats("x", 2, 8), labels], [weight("w", 8, 4)])
    with pytest.raises(ModelError, match=r"\(node loss\) \(export the network up to what the loss"):
        load(model, tmp_path)


def test_that_a_first_output_that_nobody_names_is_made_all_the_same(tmp_path: Path) -> None:
    nodes = [
        node("MatMul", "x w", "h"),
        node("TopK", "h three", "- places", name="top", axis=1),
        node("GatherElements", "h places", axis=1),
    ]
    model = model_of(nodes, [floats("x", 2, 8)], [weight("w", 8, 4), integers("three", 3)])
    network = load(model, tmp_path)
    assert network.layers[1].outputs == ("top: output 1", "places")
    graph = load_training_graph(GraphRequest(str(tmp_path / "test.onnx"))).graph
    assert faults_of(graph) == []
    # 2 x 3 floats and as many places of 8 B.
    sizes = {tensor.name: tensor.bytes for tensor in graph.tensors}
    assert (sizes["top: output 1"], sizes["places"]) == (24, 48)
