"""If: written out where the file settles the branch, else asked for or told."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from tests.helpers.onnx_control import body_of, choice, flag, kinds_of
from tests.helpers.onnx_models import (
    floats,
    load,
    model_of,
    node,
    weight,
)

CORNER = Path(__file__).parents[2] / "data" / "onnx_corner"


@pytest.mark.parametrize(("value", "kind"), [(True, "Relu"), (False, "Tanh")])
def test_that_a_branch_that_the_file_settles_is_taken_without_a_word(
    value: bool,  # noqa: FBT001 - one of two cases
    kind: str,
    tmp_path: Path,
) -> None:
    model = model_of([choice()], [floats("x", 2)], [flag("c", value=value)])
    network = load(model, tmp_path)
    assert kinds_of(network) == [kind]
    assert network.warnings == ()
    assert network.outputs == ("y",)


def _flagged(*nodes: onnx.NodeProto) -> onnx.ModelProto:
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    return model_of(nodes, [floats("x", 4, 16), condition])


def _wide_or_narrow() -> onnx.ModelProto:
    pick = node(
        "If",
        "c",
        name="pick",
        then_branch=body_of(
            [node("MatMul", "x w", "a")], outputs="a", stored=[weight("w", 16, 64)]
        ),
        else_branch=body_of([node("MatMul", "x w", "a")], outputs="a", stored=[weight("w", 16, 8)]),
    )
    return _flagged(pick)


def test_that_the_larger_branch_is_taken_where_nobody_says_and_told_so(tmp_path: Path) -> None:
    network = load(_wide_or_narrow(), tmp_path)
    assert network.values["y"].shape == (4, 64)
    # 4 x 64 x 4 B = 1,024 B against 4 x 8 x 4 B = 128 B.
    (told,) = [text for text in network.warnings if "node pick (If)" in text]
    assert "then 1,024 B, else 128 B" in told
    assert "--dim pick.branch=1 for then, 2 for else" in told


def test_that_the_branch_can_be_chosen_and_nothing_is_assumed(tmp_path: Path) -> None:
    network = load(_wide_or_narrow(), tmp_path, dims={"pick.branch": 2})
    assert network.values["y"].shape == (4, 8)
    assert not any("pick" in text for text in network.warnings)
    assert network.dims == {"pick.branch": 2}


def test_that_a_third_branch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"pick\.branch=3 is neither 1 \(then\) nor 2 \(else\)"):
        load(_wide_or_narrow(), tmp_path, dims={"pick.branch": 3})


def test_that_weights_of_a_branch_are_parameters_and_shadow_names_outside(tmp_path: Path) -> None:
    # Both graphs have a w: 16 x 64 inside, 64 x 2 outside.
    pick = node(
        "If",
        "c",
        "h",
        name="pick",
        then_branch=body_of(
            [node("MatMul", "x w", "a")], outputs="a", stored=[weight("w", 16, 64)]
        ),
        else_branch=body_of([node("MatMul", "x w", "a")], outputs="a", stored=[weight("w", 16, 8)]),
    )
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    model = model_of(
        [pick, node("MatMul", "h w")], [floats("x", 4, 16), condition], [weight("w", 64, 2)]
    )
    network = load(model, tmp_path)
    sizes = {network.values[name].shape for name in network.constants}
    assert sizes == {(16, 64), (64, 2)}
    assert network.values["y"].shape == (4, 2)


def test_that_an_input_read_by_a_branch_alone_is_an_input(tmp_path: Path) -> None:
    network = load(_flagged(choice()), tmp_path)
    assert network.inputs == ("x",)  # the condition decides nothing that is trained


def test_that_the_branch_that_can_be_imported_is_taken(tmp_path: Path) -> None:
    network = load(_flagged(choice(otherwise="Magic")), tmp_path)
    assert kinds_of(network) == ["Relu"]
    assert any("else not supported" in text for text in network.warnings)


def test_that_branches_that_do_not_fit_the_node_are_refused_by_name(tmp_path: Path) -> None:
    pick = node("If", "c", name="pick", then_branch=body_of([], outputs=""))
    with pytest.raises(ModelError, match=r"node pick \(If\): its else_branch is missing"):
        load(_flagged(pick), tmp_path)


def test_that_the_shipped_branches_give_the_sizes_of_the_larger_one() -> None:
    network = load_onnx(CORNER / "01_if.onnx", LoadOptions())
    made = [network.values[layer.outputs[0]].bytes for layer in network.layers]
    assert made[:2] == [1024, 1024]
    assert [network.values[name].bytes for name in network.constants] == [4096]
    other = load_onnx(CORNER / "01_if.onnx", LoadOptions(dims={"h.branch": 2}))
    assert next(other.values[layer.outputs[0]].bytes for layer in other.layers) == 128


def test_that_branches_in_branches_are_looked_at_once_each(tmp_path: Path) -> None:
    # Looked at again for each branch around it, the innermost of 16 would be walked 2^16 times:
    # more steps than any file is given.
    inner = body_of([node("Relu", "x", "a")], outputs="a")
    for _ in range(15):
        plain = body_of([node("Tanh", "x", "a")], outputs="a")
        inner = body_of([node("If", "c", "a", then_branch=inner, else_branch=plain)], outputs="a")
    other = body_of([node("Tanh", "x", "a")], outputs="a")
    model = _flagged(node("If", "c", name="pick", then_branch=inner, else_branch=other))
    assert kinds_of(load(model, tmp_path)) == ["Relu"]
