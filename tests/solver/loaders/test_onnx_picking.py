"""Picking, placing and counting on small constants, as exporters do it on shapes."""

from typing import Any

import numpy as np
import pytest

from solver.loaders.onnx_rules.base import Elements, Fact, Node, RuleError
from solver.loaders.onnx_rules.evaluation import evaluate
from solver.loaders.onnx_rules.table import CONSTANT_RULES


def _answer(kind: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> list[list[Any]]:
    """What a node on these constants gives, shapes by its rule and elements by evaluation."""
    arrays: list[Elements] = [np.asarray(item) for item in inputs]
    facts = tuple(Fact(array.shape, str(array.dtype), array, constant=True) for array in arrays)
    node = Node(kind, 18, facts, outputs, attributes)
    shapes = CONSTANT_RULES[kind](node).outputs[:outputs]
    found = evaluate(node, shapes)
    assert found is not None
    assert [array.shape for array in found] == [fact.shape for fact in shapes]
    return [array.tolist() for array in found]


@pytest.mark.parametrize(
    ("kind", "inputs", "attributes", "expected"),
    [
        ("NonZero", [[0, 3, 0, 5]], {}, [[1, 3]]),
        ("NonZero", [[[1, 0], [0, 2]]], {}, [[0, 1], [0, 1]]),
        ("GatherElements", [[[1, 2], [3, 4]], [[1, 0], [0, -1]]], {"axis": 1}, [[2, 1], [3, 4]]),
        ("GatherND", [[[1, 2], [3, 4]], [[0, 1], [1, -1]]], {}, [2, 4]),
        ("ScatterElements", [[1, 2, 3, 4], [2, 0], [9, 8]], {"axis": 0}, [8, 2, 9, 4]),
        ("ScatterND", [[1, 2, 3], [[-1]], [7]], {}, [1, 2, 7]),
        ("OneHot", [[2, 0], 3, [0, 1]], {}, [[0, 0, 1], [1, 0, 0]]),
        ("OneHot", [[-1, 5], 3, [0, 1]], {}, [[0, 0, 1], [0, 0, 0]]),  # 5 is no class
        ("CumSum", [[2, 3, 4], 0], {}, [2, 5, 9]),
        ("Trilu", [[[1, 2], [3, 4]]], {"upper": 0}, [[1, 0], [3, 4]]),
        ("Trilu", [[[1, 2], [3, 4]], 1], {}, [[0, 2], [0, 0]]),
        ("ArgMax", [[3, 7, 5]], {"axis": 0, "keepdims": 0}, 1),
        ("ArgMin", [[3, 7, 5]], {"axis": 0}, [0]),
        ("Compress", [[4, 5, 6], [True, False, True]], {"axis": 0}, [4, 6]),
        ("EyeLike", [[[0, 0], [0, 0]]], {"k": 1}, [[0, 1], [0, 0]]),
        ("Pow", [[2, 10], [3, 2]], {}, [8, 100]),
        ("Clip", [[-3, 2, 9], 0, 5], {}, [0, 2, 5]),
        ("Sign", [[-3, 0, 9]], {}, [-1, 0, 1]),
        ("Round", [[0.5, 1.5, 2.4]], {}, [0.0, 2.0, 2.0]),  # halves to even, as ONNX says
        ("Sqrt", [[9.0]], {}, [3.0]),
        ("LessOrEqual", [[1, 2, 3], [2, 2, 2]], {}, [True, True, False]),
        ("Xor", [[True, True], [True, False]], {}, [False, True]),
        ("ReduceMean", [[1.0, 2.0, 6.0]], {"keepdims": 0}, 3.0),
    ],
)
def test_that_one_output_is_told(
    kind: str, inputs: list[Any], attributes: dict[str, Any], expected: Any
) -> None:
    assert _answer(kind, *inputs, **attributes) == [expected]


def test_that_every_part_of_a_split_shape_is_told() -> None:
    assert _answer("Split", [1, 3, 224, 225], [2, 1, 1], outputs=3, axis=0) == [
        [1, 3], [224], [225],
    ]  # fmt: skip


def test_that_the_largest_and_their_places_are_told_the_first_of_equals_first() -> None:
    assert _answer("TopK", [5, 9, 9, 1], [2], outputs=2) == [[9, 9], [1, 2]]
    assert _answer("TopK", [5, 9, 9, 1], [2], outputs=2, largest=0) == [[1, 5], [3, 0]]


@pytest.mark.parametrize(
    ("kind", "inputs", "words"),
    [
        ("GatherElements", [[1, 2], [2]], "picks entry 2 of 2"),
        ("ScatterND", [[1, 2], [[-3]], [0]], "picks entry -3 of 2"),
        ("Pow", [[10], [10**9]], "beyond 64 bits"),
        ("Pow", [[2], [63]], "beyond 64 bits"),
        ("Pow", [[2], [-1]], "negative power"),
        ("CumSum", [[2**62, 2**62], 0], "beyond 64 bits"),
    ],
)
def test_that_arithmetic_that_cannot_be_is_refused(
    kind: str, inputs: list[Any], words: str
) -> None:
    with pytest.raises(RuleError, match=words):
        _answer(kind, *inputs)
