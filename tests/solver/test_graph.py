"""Claim: a training graph answers who makes and who reads what, by position."""

import pytest

from solver.graph import element_bits
from tests.helpers.builders import Line, chain, graph_of


def test_that_producers_and_readers_are_positions_in_order() -> None:
    graph = graph_of([
        Line("a", "f", 1, 1),
        Line("b", "f", 1, 1, ("a",)),
        Line("c", "b", 1, 1, ("b", "a")),
    ])  # fmt: skip
    assert graph.producer == (0, 1, 2)
    assert graph.readers == ((1, 2), (2,), ())
    assert graph.op_inputs == ((), (0,), (1, 0))
    assert graph.op_outputs == ((0,), (1,), (2,))
    assert graph.op_index["c"] == graph.tensor_index["c"] == 2


def test_that_the_backward_half_starts_at_the_first_backward_op() -> None:
    assert chain(5).first_backward == 6  # f1..f5, loss
    assert graph_of([Line("a", "f", 1, 1)]).first_backward == 1


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [("float32", 32), ("float64", 64), ("bfloat16", 16), ("int4", 4), ("uint2", 2), ("bool", 8)],
)
def test_that_elements_have_the_bits_of_their_type(dtype: str, bits: int) -> None:
    assert element_bits(dtype) == bits


def test_that_a_type_without_a_size_has_no_bits() -> None:
    with pytest.raises(KeyError):
        element_bits("string")
