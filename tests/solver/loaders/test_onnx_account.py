"""The import report of ONNX files: counts, what is folded, ignored, assumed, trained."""

from pathlib import Path

import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from solver.api import load_training_graph
from solver.errors import UsageError
from solver.graph_request import GraphRequest
from solver.import_report import ImportReport, NodeCounts, OpenSize, Topic
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from tests.helpers.onnx_models import floats, integers, model_of, node, weight


def report_of(model: ModelProto, folder: Path, **options: object) -> ImportReport:
    """The report of a model that was differentiated."""
    path = folder / "test.onnx"
    path.write_bytes(model.SerializeToString())
    report = load_training_graph(GraphRequest(str(path), **options)).graph.report  # type: ignore[arg-type] # names of fields
    assert report is not None
    return report


def texts(report: ImportReport, topic: Topic) -> list[str]:
    return [remark.text for remark in report.remarks if remark.topic is topic]


def test_that_nodes_are_counted_as_constant_shape_arithmetic_and_views(tmp_path: Path) -> None:
    nodes = [
        node("ConstantOfShape", "w_shape", "w"),  # constant
        node("MatMul", "x w", "h"),  # runs
        node("Shape", "x", "s"),  # sizes of an input only
        node("Gather", "s zero", "n"),  # the same, through a node
        node("Concat", "n minus", "target", axis=0),
        node("Reshape", "h target", "r"),  # a view
        node("Relu", "r", "y"),
    ]
    stored = [integers("w_shape", 6, 4), integers("zero", 0), integers("minus", -1)]
    report = report_of(model_of(nodes, [floats("x", 2, 6)], stored), tmp_path)
    assert report.nodes == NodeCounts(all=7, constant=1, shapes=3, views=1)
    assert report.nodes.running == 3
    assert report.kinds == (("MatMul", 1), ("Relu", 1), ("Reshape", 1))
    assert report.sentences()[1] == (
        "7 nodes: 1 depends on constants only and was folded, "
        "3 depend on sizes of inputs only and were folded, 3 run, 1 view among them"
    )


def test_that_the_maker_and_the_operator_sets_are_told(tmp_path: Path) -> None:
    model = model_of([node("MatMul", "x w")], [floats("x", 2, 6)], [weight("w", 6, 4)])
    model.producer_name, model.producer_version, model.ir_version = "exporter", "2.1", 8
    model.opset_import.append(helper.make_opsetid("com.example", 3))
    report = report_of(model, tmp_path)
    assert report.maker == ("ONNX operator set 17, com.example 3 (IR 8), written by exporter 2.1")


def test_that_what_nothing_reads_is_listed_as_ignored(tmp_path: Path) -> None:
    inputs = [floats("x", 2, 6), floats("idle", 3)]
    stored = [weight("w", 6, 4), weight("spare", 9), weight("other", 9)]
    model = model_of([node("MatMul", "x w")], inputs, stored)
    assert texts(report_of(model, tmp_path), Topic.IGNORED) == [
        "1 input is read by nothing: idle",
        "2 stored tensors are read by nothing: spare, other",
    ]


def test_that_an_output_which_no_layer_makes_is_listed_as_ignored(tmp_path: Path) -> None:
    model = model_of(
        [node("MatMul", "x w")], [floats("x", 2, 6)], [weight("w", 6, 4)], outputs=("y", "x")
    )
    report = report_of(model, tmp_path)
    assert texts(report, Topic.IGNORED) == [
        "1 output is a constant or an input, without a gradient: x"
    ]
    assert report.outputs == ("y",)


def test_that_an_open_batch_which_nobody_chose_is_an_assumption(tmp_path: Path) -> None:
    model = model_of([node("MatMul", "x w")], [floats("x", "N", 6)], [weight("w", 6, 4)])
    report = report_of(model, tmp_path)
    assert texts(report, Topic.ASSUMED) == [
        "the file leaves the batch (N) open: 1 is taken (--batch)"
    ]
    assert report.open_sizes == (OpenSize("N", ("x (N, 6)",), 1, is_batch=True),)
    assert report.inputs[0].declared == ("N", 6)
    assert report.inputs[0].shape == (1, 6)
    chosen = report_of(model, tmp_path, batch=8)
    assert texts(chosen, Topic.ASSUMED) == []
    assert chosen.open_sizes == (OpenSize("N", ("x (N, 6)",), 8, is_batch=True),)
    assert "inputs: x float32 8 x 6 (in the file N x 6)" in chosen.sentences()


def test_that_defaults_of_inputs_are_taken_as_constants_and_told(tmp_path: Path) -> None:
    inputs = [floats("x", 2, 6), floats("w", 6, 4)]
    model = model_of([node("MatMul", "x w")], inputs, [weight("w", 6, 4)])
    model.ir_version = 4
    (told,) = texts(report_of(model, tmp_path), Topic.ASSUMED)
    assert told.startswith("1 input with a stored value can be overridden")
    model.ir_version = 3  # every initialiser had to be an input
    assert texts(report_of(model, tmp_path), Topic.ASSUMED) == []


def test_that_weights_statistics_and_other_constants_are_told_apart(tmp_path: Path) -> None:
    names = ("scale", "shift", "mean", "variance")
    nodes = [
        node("Conv", "x w", "c"),
        node("BatchNormalization", f"c {' '.join(names)}", "n"),
        node("Mul", "n half"),
    ]
    stored = [weight("w", 4, 3, 1, 1), *(weight(name, 4) for name in names), weight("half", 1)]
    report = report_of(model_of(nodes, [floats("x", 1, 3, 8, 8)], stored), tmp_path)
    # w: 4 x 3 floats = 48 B; scale, shift: 4 floats = 16 B each
    assert texts(report, Topic.WEIGHTS) == [
        "3 weights of 80 B are trained",
        "2 running statistics of 32 B are kept, not trained",
        "1 other constant of 4 B, not trained: half",
    ]


def test_that_a_tied_weight_is_one_parameter(tmp_path: Path) -> None:
    nodes = [node("MatMul", "x w", "h"), node("MatMul", "h w")]
    report = report_of(model_of(nodes, [floats("x", 2, 6)], [weight("w", 6, 6)]), tmp_path)
    assert texts(report, Topic.WEIGHTS) == [
        "1 weight of 144 B is trained",
        "1 weight in several places, one parameter with the sum of the gradients: w",
    ]


def test_that_an_embedding_read_transposed_as_the_last_layer_is_one_parameter(
    tmp_path: Path,
) -> None:
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [2, 3])
    nodes = [
        node("Gather", "e ids", "g"),
        node("Transpose", "e", "turned", perm=[1, 0]),
        node("MatMul", "g turned"),
    ]
    path = tmp_path / "test.onnx"
    path.write_bytes(model_of(nodes, [ids], [weight("e", 10, 4)]).SerializeToString())
    graph = load_training_graph(GraphRequest(str(path))).graph
    # 10 x 4 floats, with a gradient from each of the two places
    assert [(item.name, item.bytes) for item in graph.trainable] == [("e", 160)]
    assert graph.weight_bytes == 160
    assert [op.gradient_of for op in graph.ops if op.kind == "weight_gradient"] == [("e",)] * 2
    assert graph.report is not None
    assert "one parameter with the sum of the gradients: e" in texts(graph.report, Topic.WEIGHTS)[1]


def test_that_what_a_loop_holds_is_counted_as_running(tmp_path: Path) -> None:
    reads, gives = (
        [onnx.ValueInfoProto(name=name) for name in text.split()] for text in ("i c h", "d o")
    )
    rounds = [node("Identity", "c", "d"), node("MatMul", "h w", "o")]
    body = helper.make_graph(rounds, "body", reads, gives)
    loop = node("Loop", "count - x", body=body)
    model = model_of([loop], [floats("x", 2, 6)], [weight("w", 6, 6), integers("count", 2)])
    report = report_of(model, tmp_path)
    # In each of two rounds a product and a flag that is constant; an Identity names the result.
    assert report.kinds == (("MatMul", 2), ("Identity", 1))
    assert report.nodes == NodeCounts(all=5, constant=2, shapes=0, views=1)
    assert report.nodes.running == 3
    assert not texts(report, Topic.IGNORED)


def test_that_loss_and_output_are_told_with_the_shape(tmp_path: Path) -> None:
    model = model_of([node("MatMul", "x w")], [floats("x", 2, 6)], [weight("w", 6, 4)])
    assert texts(report_of(model, tmp_path), Topic.LOSS) == [
        "the loss is softmax-ce of output y (float32 2 x 4)"
    ]
    assert texts(report_of(model, tmp_path, loss="mse"), Topic.LOSS) == [
        "the loss is mse of output y (float32 2 x 4)"
    ]


def test_that_external_data_are_sized_from_the_file(tmp_path: Path) -> None:
    stored = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[6, 4], data_location=1)
    stored.external_data.add(key="location", value="net.data")
    report = report_of(model_of([node("MatMul", "x w")], [floats("x", 2, 6)], [stored]), tmp_path)
    assert texts(report, Topic.SIZES)[0] == (
        "the numbers of 1 tensor lie in net.data: "
        "their sizes come from the model file, weights are never opened"
    )


def test_that_the_batch_is_asked_for_where_the_caller_can_ask(tmp_path: Path) -> None:
    path = tmp_path / "test.onnx"
    inputs = [floats("x", "N", "rows", 6), floats("z", "N", "rows", 6)]
    nodes = [node("Add", "x z", "a"), node("MatMul", "a w")]
    path.write_bytes(model_of(nodes, inputs, [weight("w", 6, 4)]).SerializeToString())
    with pytest.raises(UsageError) as caught:
        load_onnx(path, LoadOptions(ask_batch=True))
    places = ("x (N, rows, 6)", "z (N, rows, 6)")
    assert caught.value.issues[0].asks == (
        OpenSize("N", places, is_batch=True),
        OpenSize("rows", places),
    )
    with pytest.raises(UsageError) as caught:
        load_onnx(path, LoadOptions())  # a batch that nobody is asked for is 1
    assert caught.value.issues[0].asks == (OpenSize("rows", places),)
    assert load_onnx(path, LoadOptions(2, {"rows": 3}, ask_batch=True)).batch == 2


def test_that_documents_hold_warnings_first_and_then_the_report(tmp_path: Path) -> None:
    path = tmp_path / "test.onnx"
    model = model_of([node("MatMul", "x w")], [floats("x", 2, 6)], [weight("w", 6, 4)])
    path.write_bytes(model.SerializeToString())
    graph = load_training_graph(GraphRequest(str(path))).graph
    assert graph.warnings[0].startswith("this file holds no BatchNorm/Dropout")
    assert graph.report is not None
    assert graph.told == (*graph.warnings, *graph.report.sentences())
