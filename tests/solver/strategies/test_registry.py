"""Claim: strategies are found by name, ours and those of other packages, or a near name is told."""

from importlib.metadata import EntryPoint

import pytest

from solver.errors import UsageError
from solver.strategies.registry import STRATEGIES, adapt, get_strategy
from tests.helpers.builders import chain, problem_of


def test_that_the_joint_strategy_stands_first_and_each_has_a_sentence() -> None:
    names = ("joint", "remat-only", "paging-only", "blocks", "sqrt-n", "keep-all", "page-all")
    assert STRATEGIES.names()[:7] == names
    for name in names:
        assert get_strategy(name).name == name
        assert get_strategy(name).summary.endswith(".")


def test_that_an_unknown_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(UsageError, match="did you mean remat-only"):
        get_strategy("remat-onyl")


@pytest.mark.parametrize(
    ("name", "paging", "recompute"),
    [("joint", True, True), ("remat-only", False, True), ("paging-only", True, False)],
)
def test_that_a_strategy_forces_its_own_switches(
    name: str,
    paging: bool,  # noqa: FBT001 - a parameter of the test
    recompute: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    problem = problem_of(chain(3), 4004)

    switches = adapt(problem, get_strategy(name)).switches

    assert (switches.paging, switches.recompute) == (paging, recompute)


def test_that_a_strategy_switches_nothing_on() -> None:
    problem = problem_of(chain(3), 4004, paging=False)

    assert not adapt(problem, get_strategy("paging-only")).switches.paging


def test_that_a_strategy_of_another_package_is_found(entries: list[EntryPoint]) -> None:
    entries.append(EntryPoint("mine", "solver.strategies.plain:KEEP_ALL", "poet.strategies"))

    assert STRATEGIES.names()[-1] == "mine"
    assert get_strategy("mine").name == "keep-all"
