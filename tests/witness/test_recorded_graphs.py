"""Reading a record of PyTorch's: FLOP, kept bytes and plain peak of a graph small enough to add up.

x (8 B) times weight w is a (16 B), rectified b (16 B); the loss l (4 B) of b; back from g (4 B):
c (16 B), of it the weight's gradient in two parts d and e (12 B each) and their sum f.
"""

import pytest

from tests.witness.theirs import Recorded, RecordedOp


@pytest.fixture
def record() -> Recorded:
    return Recorded(
        parameters=3,
        sources={"x": ("input", 8), "w": ("parameter", 12)},
        ops=(
            RecordedOp("forward", "aten.mm", ("x", "w"), {"a": 16}, 24, 0),
            RecordedOp("forward", "aten.relu", ("a",), {"b": 16}, 0, 4),
            RecordedOp("forward", "aten.sum", ("b",), {"l": 4}, 0, 4),
            RecordedOp("backward", "aten.ones_like", ("l",), {"g": 4}, 0, 1),
            RecordedOp("backward", "aten.threshold_backward", ("g", "b"), {"c": 16}, 0, 4),
            RecordedOp("backward", "aten.mm", ("x", "c"), {"d": 12}, 24, 0),
            RecordedOp("backward", "aten.mm", ("x", "c"), {"e": 12}, 24, 0),
            RecordedOp("backward", "aten.add.Tensor", ("d", "e"), {"f": 12}, 0, 3),
        ),
        saved=("x", "b"),
        gradients={"weight": "f"},
    )


def test_that_flop_are_products_and_other_arithmetic(record: Recorded) -> None:
    assert (record.products("forward"), record.flop("forward")) == (24, 32)
    assert (record.products("backward"), record.flop("backward")) == (48, 56)


def test_that_kept_is_what_the_partition_hands_over(record: Recorded) -> None:
    assert record.kept_bytes == 8 + 16
    assert record.kept_by_maker() == {("input", 8): 1, ("aten.relu", 16): 1}


def test_that_parts_of_a_weight_gradient_lie_in_its_own_memory(record: Recorded) -> None:
    assert record.weight_gradients == {"d", "e", "f"}


def test_that_the_plain_peak_leaves_parameters_and_their_gradients_out(record: Recorded) -> None:
    # x 8, b 16, g 4, c 16 at threshold_backward; x 8, a 16, b 16 at relu are 40
    assert record.plain_peak == 44
