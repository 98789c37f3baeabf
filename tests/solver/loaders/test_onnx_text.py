"""ONNX models saved as text or JSON are read as the same model in binary form is."""

import json
from pathlib import Path

import onnx
import pytest
from onnx import serialization

from solver.errors import ModelError
from solver.graph_request import GraphRequest
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.loaders.sniff import FileKind, sniff
from solver.reading import read_model
from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight

FORMS = ["textproto", "json", "onnxtxt"]


def _model() -> onnx.ModelProto:
    """Weights made by the file, since onnx's own syntax writes out every number."""
    nodes = [
        node("ConstantOfShape", "shape", "w"),
        node("MatMul", "x w", "h", name="product"),
        node("Relu", "h"),
    ]
    return model_of(nodes, [floats("x", "N", 6)], [integers("shape", 6, 4)])


def _written(form: str, folder: Path) -> Path:
    path = folder / "test.onnx"
    path.write_bytes(serialization.registry.get(form).serialize_proto(_model()))
    return path


@pytest.mark.parametrize("form", FORMS)
def test_that_a_model_written_as_text_is_the_same_network(form: str, tmp_path: Path) -> None:
    plain = load(_model(), tmp_path)
    path = _written(form, tmp_path)
    assert sniff(path) in {FileKind.ONNX_TEXT, FileKind.ONNX_JSON}
    network = load_onnx(path, LoadOptions())
    assert [layer.op_type for layer in network.layers] == ["MatMul", "Relu"]
    assert network.values == plain.values
    assert network.constants == plain.constants


def test_that_keys_of_json_may_be_written_either_way(tmp_path: Path) -> None:
    document = json.loads(serialization.registry.get("json").serialize_proto(_model()))
    document["irVersion"] = document.pop("ir_version")
    document["opsetImport"] = document.pop("opset_import")
    path = tmp_path / "model.onnx.json"
    path.write_text(json.dumps(document), encoding="utf-16")
    assert sniff(path) is FileKind.ONNX_JSON
    assert load_onnx(path, LoadOptions()).outputs == ("y",)


def test_that_comments_may_stand_before_the_text(tmp_path: Path) -> None:
    path = _written("textproto", tmp_path)
    path.write_text("# proto-file: onnx.proto\n\n# a comment\n" + path.read_text())
    assert load_onnx(path, LoadOptions()).outputs == ("y",)


@pytest.mark.parametrize(
    ("form", "text", "told"),
    [
        ("textproto", "ir_version: 8\ngraph { node { op_kind: 3 } }", "2:16 : .*op_kind"),
        ("textproto", "ir_version: 8\ngraph {", "damaged ONNX text"),
        ("json", '{"irVersion": "8", "graph": {"nodes": []}}', "nodes"),
        ("json", '{"irVersion": "8", "graph": [1]}', "damaged ONNX text"),
        ("onnxtxt", '< ir_version: 8, opset_import: ["" : 17] > g (float[1] x) => {', "damaged"),
    ],
)
def test_that_damaged_text_is_refused_in_the_parsers_own_words(
    form: str, text: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "test.onnx"
    path.write_text(text)
    with pytest.raises(ModelError, match=told) as caught:
        load_onnx(path, LoadOptions())
    (issue,) = caught.value.issues
    assert issue.message.startswith(f"is damaged ONNX text ({form}): ")
    assert "\n" not in issue.message


@pytest.mark.parametrize(
    "text",
    [
        "ir_version: 8\n" + "graph { node { attribute { g { " * 5000,
        '{"irVersion": 8, "graph": {"node": [' + '{"attribute": [{"g": {"node": [' * 5000,
        '< ir_version: 8, opset_import: ["" : 17] >\ng (float[1] x) => (float[1] y) {'
        + "y = If (c) <then_branch = g () => (float[1] y) {" * 50_000,
    ],
    ids=FORMS,
)
def test_that_text_of_great_depth_is_refused_by_the_reading_process(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "test.onnx"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_model(GraphRequest(str(path)))
    assert len(caught.value.issues) == 1


def test_that_text_names_its_own_mistakes_as_any_model_does(tmp_path: Path) -> None:
    model = model_of([node("MatMul", "x w")], [floats("x", 2, 6)], [weight("w", 5, 4)])
    path = tmp_path / "test.onnx"
    path.write_bytes(serialization.registry.get("textproto").serialize_proto(model))
    with pytest.raises(ModelError, match=r"node y \(MatMul\)"):
        load_onnx(path, LoadOptions())
