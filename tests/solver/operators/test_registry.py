"""The table of rules."""

import pytest

from solver.errors import ModelError
from solver.loaders.onnx_rules.table import LAYER_RULES
from solver.operators import registry
from solver.operators.base import Site
from solver.operators.registry import RULES
from tests.helpers.networks import NetworkOf


def test_that_every_operator_that_is_read_can_be_trained_and_the_other_way_round() -> None:
    assert set(RULES) == set(LAYER_RULES)


def test_that_no_family_takes_an_operator_of_another() -> None:
    assert len(RULES) == sum(map(len, registry._FAMILIES))


def site() -> Site:
    net = NetworkOf(x=(1, 2, 4, 4)).const("w", (2, 2, 1, 1))
    network = net.layer("it", "Conv", "x - w", (1, 2, 4, 4), group=1, auto_pad="SAME").network()
    return Site(network, network.layers[0])


@pytest.mark.parametrize("slot", [1, 3])
def test_that_an_input_that_is_not_there_is_named_by_its_position(slot: int) -> None:
    assert not site().has_input(slot)
    with pytest.raises(ModelError, match=f"layer it: input {slot + 1} of Conv is missing"):
        site().input(slot)


def test_that_an_output_that_is_not_there_is_named_by_its_position() -> None:
    with pytest.raises(ModelError, match="layer it: output 2 of Conv is missing"):
        site().output(1)


def test_that_an_absent_input_is_no_slot_and_no_constant() -> None:
    assert site().slots() == (0, 2)
    assert [site().is_constant(slot) for slot in range(4)] == [False, False, True, False]


def test_that_attributes_have_defaults_and_a_type() -> None:
    assert (site().integer("group", 7), site().integer("absent", 7)) == (1, 7)
    assert (site().number("group", 0.5), site().number("absent", 0.5)) == (1.0, 0.5)
    for read in (site().integer, site().number):
        with pytest.raises(ModelError, match="attribute auto_pad of Conv is 'SAME', not a number"):
            read("auto_pad", 0)
    with pytest.raises(ModelError, match="attribute group of Conv is not a list"):
        site().integers("group")
    with pytest.raises(ModelError, match="attribute absent of Conv is missing"):
        site().integers("absent")
