"""Functions that a file spells as several operators are told: a fused one would keep less."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight

SIZE = 2 * 6 * 4
"""Bytes of the number that each function is taken of, 2 x 6 floats."""


def _number(name: str, value: float) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.FLOAT, [], [value])


_NUMBERS = [_number(name, value) for name, value in (("one", 1), ("half", 0.5), ("c", 3))]


def _told(folder: Path, *spelled: onnx.NodeProto) -> list[str]:
    nodes = [node("MatMul", "z w", "x"), *spelled]
    stored = [*_NUMBERS, weight("w", 6, 6), weight("scale", 6), weight("bias", 6)]
    network = load(model_of(nodes, [floats("z", 2, 6)], stored), folder)
    return [text for text in network.warnings if "spells" in text]


def _sentence(words: str, inner: int) -> str:
    return (
        f"this file spells {words} (y): counted as written; where each runs as one operator, up to "
        f"{inner:,} B less are kept"
    )


_SPELLED = {
    "1 SiLU as 2 operators each": ([("Sigmoid", "x", "a"), ("Mul", "a x", "y")], SIZE),
    "1 HardSwish as 2 operators each": ([("HardSigmoid", "x", "a"), ("Mul", "x a", "y")], SIZE),
    "1 HardSwish as 4 operators each": (
        [("Add", "x c", "a"), ("Clip", "a", "b"), ("Div", "b c", "d"), ("Mul", "x d", "y")],
        3 * SIZE,
    ),
    "1 Mish as 3 operators each": (
        [("Softplus", "x", "a"), ("Tanh", "a", "b"), ("Mul", "x b", "y")],
        2 * SIZE,
    ),
    "1 Gelu as 5 operators each": (
        [
            ("Div", "x c", "a"),
            ("Erf", "a", "b"),
            ("Add", "b one", "d"),
            ("Mul", "x d", "e"),
            ("Mul", "e half", "y"),
        ],
        4 * SIZE,
    ),
    # half of x first; the tanh of c (x + c x^3)
    "1 Gelu as 8 operators each": (
        [
            ("Pow", "x c", "p"),
            ("Mul", "p c", "q"),
            ("Add", "x q", "r"),
            ("Mul", "r c", "s"),
            ("Tanh", "s", "t"),
            ("Add", "t one", "u"),
            ("Mul", "x half", "v"),
            ("Mul", "v u", "y"),
        ],
        7 * SIZE,
    ),
}


@pytest.mark.parametrize(("words", "spelled"), _SPELLED.items(), ids=list(_SPELLED))
def test_that_an_activation_spelled_as_arithmetic_is_told_with_its_inner_bytes(
    words: str, spelled: tuple[list[tuple[str, str, str]], int], tmp_path: Path
) -> None:
    steps, inner = spelled
    assert _told(tmp_path, *(node(*step) for step in steps)) == [_sentence(words, inner)]


def _normed(x: str, end: list[onnx.NodeProto]) -> list[onnx.NodeProto]:
    return [
        node("Mul", f"{x} {x}", "square"),
        node("ReduceMean", "square", "mean", axes=[-1]),
        node("Add", "mean c", "moved"),
        node("Sqrt", "moved", "root"),
        *end,
    ]


def test_that_a_spelled_rms_norm_is_told(tmp_path: Path) -> None:
    ends = [node("Reciprocal", "root", "inverse"), node("Mul", "x inverse", "n")]
    told = _told(tmp_path, *_normed("x", ends), node("Mul", "n scale"))
    # 48 B of squares and of normed numbers, a column of 2 floats four times
    expected = _sentence("1 RMSNormalization as 7 operators each", 2 * SIZE + 4 * 8)
    assert told == [expected]


def test_that_a_spelled_layer_norm_is_told(tmp_path: Path) -> None:
    first = [node("ReduceMean", "x", "average", axes=[-1]), node("Sub", "x average", "centred")]
    ends = [node("Div", "centred root", "n"), node("Mul", "n scale", "m"), node("Add", "m bias")]
    told = _told(tmp_path, *first, *_normed("centred", ends))
    # centred, squares, normed, scaled; average, mean, moved and root are columns
    expected = _sentence("1 LayerNormalization as 9 operators each", 4 * SIZE + 4 * 8)
    assert told == [expected]


def test_that_a_group_norm_spelled_by_instances_is_told(tmp_path: Path) -> None:
    nodes = [
        node("Reshape", "x to", "groups"),
        node("InstanceNormalization", "groups s b", "n"),
        node("Reshape", "n back", "m"),
        node("Mul", "m scale", "p"),
        node("Add", "p bias"),
    ]
    stored = [integers("to", 2, 2, -1), integers("back", 2, 4, 3), weight("s", 2), weight("b", 2)]
    stored += [weight("scale", 4, 1), weight("bias", 4, 1)]
    network = load(model_of(nodes, [floats("x", 2, 4, 3)], stored), tmp_path)
    # normed and scaled numbers, 2 x 4 x 3 floats each; the second Reshape is a view
    words = _sentence("1 GroupNormalization as 4 operators each", 2 * 24 * 4)
    assert words in network.warnings


def test_that_functions_of_a_kind_are_counted_in_one_sentence(tmp_path: Path) -> None:
    one = [node("Sigmoid", "x", "a"), node("Mul", "x a", "b")]
    told = _told(tmp_path, *one, node("Sigmoid", "b", "d"), node("Mul", "b d"))
    assert told == [_sentence("2 SiLU as 2 operators each", 2 * SIZE).replace("(y)", "(b, y)")]


@pytest.mark.parametrize(
    "steps",
    [
        [("Sigmoid", "x", "a"), ("Mul", "a z", "y")],  # a gate for something else
        [("Sigmoid", "x", "a"), ("Mul", "a x", "b"), ("Add", "a b", "y")],  # read by another too
        [("Tanh", "x", "a"), ("Add", "a one", "b"), ("Mul", "b z", "y")],
    ],
    ids=["another number", "read elsewhere", "another product"],
)
def test_that_what_only_looks_alike_is_not_told(
    steps: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    assert _told(tmp_path, *(node(*step) for step in steps)) == []
