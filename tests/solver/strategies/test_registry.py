"""Claim: strategies are found by name, ours and those of other packages, or a near name is told."""

from importlib.metadata import EntryPoint

import pytest

from solver.errors import UsageError
from solver.strategies import registry
from solver.strategies.registry import adapt, get_strategy, strategy_names
from tests.helpers.builders import chain, problem_of


def test_that_every_name_leads_to_its_strategy() -> None:
    assert strategy_names()[:5] == ("joint", "remat-only", "paging-only", "keep-all", "page-all")
    for name in strategy_names()[:5]:
        strategy = get_strategy(name)
        assert strategy.name == name
        assert strategy.summary.endswith(".")


def test_that_an_unknown_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(UsageError, match="did you mean remat-only"):
        get_strategy("remat-onyl")


@pytest.mark.parametrize(
    ("name", "paging", "recompute"),
    [("joint", True, True), ("remat-only", False, True), ("paging-only", True, False)],
)
def test_that_a_strategy_forces_its_own_switches(name: str, paging: bool, recompute: bool) -> None:  # noqa: FBT001
    problem = problem_of(chain(3), 4004)

    switches = adapt(problem, get_strategy(name)).switches

    assert (switches.paging, switches.recompute) == (paging, recompute)


def test_that_a_strategy_switches_nothing_on() -> None:
    problem = problem_of(chain(3), 4004, paging=False)

    assert not adapt(problem, get_strategy("paging-only")).switches.paging


def _others(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    entry = EntryPoint("mine", value, "poet.strategies")
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [entry])


def test_that_a_strategy_of_another_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _others(monkeypatch, "solver.strategies.plain:KEEP_ALL")

    assert strategy_names()[-1] == "mine"
    assert get_strategy("mine").name == "keep-all"


def test_that_a_broken_one_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    _others(monkeypatch, "solver.no_such_module:STRATEGY")

    with pytest.raises(UsageError, match="the strategy mine of another package cannot be used"):
        get_strategy("mine")
