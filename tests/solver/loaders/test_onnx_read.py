"""Files that are no whole ONNX model: one sentence each, at the right place."""

from pathlib import Path

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from solver.errors import EngineError, ModelError
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from tests.helpers.onnx_models import floats, load, model_of, node, weight

DATA = Path(__file__).parents[2] / "data"


def _refusal(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load_onnx(path, LoadOptions())
    assert len(caught.value.issues) == 1
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("01_truncated.onnx", "the file is cut off: at least 6242 B are missing"),
        ("01b_truncated_at_field_boundary.onnx", "names no operator-set version: damaged"),
        ("09_empty.onnx", "empty file"),
        ("11_html_404_named.onnx", "web page"),
        # 8 x 2^31 x 2^31 float32 = 2^3 x 2^62 x 2^2 B = 2^67 B
        ("17_overflow_dims.onnx", f"would take {2**67} B, more than 10^20 B"),
        ("19_opset_999.onnx", "operator set 999 is newer than this program knows (up to"),
    ],
)
def test_that_a_malformed_file_is_refused_with_what_is_wrong(name: str, said: str) -> None:
    text = _refusal(DATA / "malformed" / name)
    assert said in text
    assert name in text


def test_that_the_newest_known_operator_set_is_named(tmp_path: Path) -> None:
    known = onnx.defs.onnx_opset_version()
    model = model_of([node("Relu", "x")], [floats("x", 1, 4)], opset=known + 1)
    with pytest.raises(ModelError, match=rf"set {known + 1} is newer .* \(up to {known}\)"):
        load(model, tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "git lfs pull"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "picture"),
        (b"PK\x03\x04 torn archive", "zip"),
        (b"\x80\x04\x95\x00", "pickle"),
        (b"conv1 = Conv2d(3, 8)\n" * 9, "text"),
        (b"\x00\x01\x02\x03" * 99, "not an ONNX file"),
        (b"\x08\x08\x3a\xff", "cut off"),
        (b"\x08\x08\x3a\x02\x0a\x05", "damaged"),
        (b"\x08\x08", "holds no graph"),
    ],
)
def test_that_content_and_not_the_suffix_tells_what_a_file_is(
    content: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    assert said in _refusal(path)


def test_that_a_folder_is_refused(tmp_path: Path) -> None:
    assert "folder" in _refusal(tmp_path)


def test_that_a_vanished_path_is_refused(tmp_path: Path) -> None:
    assert "does not exist" in _refusal(tmp_path / "gone.onnx")


def test_that_a_path_with_a_zero_byte_is_refused() -> None:
    assert "cannot be read" in _refusal(Path("net\0.onnx"))


def test_that_a_graph_without_nodes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no nodes"):
        load(model_of([], [floats("y", 1)]), tmp_path)


def test_that_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    content = model_of([node("Relu", "x")], [floats("x", 1, 4)]).SerializeToString()
    path = tmp_path / "net.onnx"
    path.write_bytes(content.replace(b"Relu", b"Re\xff\xfe"))
    assert "not UTF-8" in _refusal(path)


def test_that_stored_bytes_that_do_not_fit_their_shape_are_damage(tmp_path: Path) -> None:
    broken = weight("w", 4, 2)
    broken.raw_data = bytes(31)  # 4 x 2 float32 = 32 B
    with pytest.raises(ModelError, match=r"initialiser w: its shape needs 32 B, 31 B are stored"):
        load(model_of([node("MatMul", "x w")], [floats("x", 1, 4)], [broken]), tmp_path)


def test_that_listed_numbers_that_do_not_fit_their_shape_are_damage(tmp_path: Path) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3], float_data=[1.0, 2.0])
    with pytest.raises(ModelError, match="its shape needs 6 numbers, 2 are stored: damaged"):
        load(model_of([node("MatMul", "x w")], [floats("x", 1, 2)], [tensor]), tmp_path)


def test_that_a_weight_stored_twice_is_damage(tmp_path: Path) -> None:
    stored = [weight("w", 2, 3), weight("w", 2, 4)]
    with pytest.raises(ModelError, match=r"initialiser w: is stored 2 times: damaged"):
        load(model_of([node("MatMul", "x w")], [floats("x", 1, 2)], stored), tmp_path)


def test_that_an_input_listed_twice_is_damage(tmp_path: Path) -> None:
    inputs = [floats("x", 1, 2), floats("x", 1, 3)]
    with pytest.raises(ModelError, match=r"input x: is listed 2 times: damaged"):
        load(model_of([node("MatMul", "x w")], inputs, [weight("w", 2, 3)]), tmp_path)


def test_that_own_operators_without_a_version_are_not_guessed_at(tmp_path: Path) -> None:
    model = model_of([node("Relu", "x")], [floats("x", 2)])
    model.opset_import[0].domain = "com.example"
    with pytest.raises(ModelError, match="names no version of ONNX's own operators"):
        load(model, tmp_path)


def test_that_a_negative_size_of_a_weight_is_damage(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="below zero"):
        load(model_of([node("MatMul", "x w")], [floats("x", 1, 4)], [weight("w", 4, -2)]), tmp_path)


def test_that_an_unknown_element_type_is_named(tmp_path: Path) -> None:
    odd = TensorProto(name="w", data_type=99, dims=[4, 2])
    with pytest.raises(ModelError, match="element type 99 is not known"):
        load(model_of([node("MatMul", "x w")], [floats("x", 1, 4)], [odd]), tmp_path)


@pytest.mark.parametrize("place", ["branch", "function"])
def test_that_names_inside_of_branches_and_functions_are_checked_too(
    place: str, tmp_path: Path
) -> None:
    leaky = node("LeakyRelu", "x", "y", alpha=0.5)
    if place == "branch":
        branch = helper.make_graph([leaky], "branch", [], [floats("y", 2)])
        model = model_of(
            [node("If", "c", "z", then_branch=branch, else_branch=branch)],
            [floats("x", 2)],
            [helper.make_tensor("c", TensorProto.BOOL, [], [True])],
            outputs=("z",),
        )
    else:
        model = model_of([helper.make_node("F", ["x"], ["y"], domain="own")], [floats("x", 2)])
        opsets = [helper.make_opsetid("", 17)]
        model.functions.append(helper.make_function("own", "F", ["x"], ["y"], [leaky], opsets))
    path = tmp_path / "test.onnx"
    path.write_bytes(model.SerializeToString().replace(b"alpha", b"\xff\xfepha"))
    assert "not UTF-8" in _refusal(path)


def test_that_every_broken_initialiser_is_named_at_once(tmp_path: Path) -> None:
    stored = [weight("w", -1), weight("v", -1)]
    with pytest.raises(ModelError) as caught:
        load(model_of([node("Sum", "x w v")], [floats("x", 1)], stored), tmp_path)
    assert [issue.where for issue in caught.value.issues] == [
        "test.onnx: initialiser w",
        "test.onnx: initialiser v",
    ]


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    name=st.sampled_from(["07_batch_baked_into_reshape", "09_batchnorm_training", "21_fp16"]),
    damage=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=8),
)
def test_that_no_damaged_byte_gives_anything_but_a_network_or_a_sentence(
    name: str, damage: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray((DATA / "onnx_corner" / f"{name}.onnx").read_bytes())
    for place, byte in damage:
        # From both ends, where headers are; weights fill the middle.
        content[(place // 2 if place % 2 else -1 - place // 2) % len(content)] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.onnx"
    path.write_bytes(content)
    try:
        network = load_onnx(path, LoadOptions())
    except EngineError as error:
        found = all(issue.message for issue in error.issues)
    else:
        named = {name for layer in network.layers for name in (*layer.inputs, *layer.outputs)}
        found = named - {""} <= set(network.values)
    assert found
