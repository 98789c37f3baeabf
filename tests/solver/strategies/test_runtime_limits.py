"""Claim: a runtime limit is kept, met to its rounding, and blamed when it is to blame."""

import pytest

from solver.costs import price
from solver.outcome import Infeasible, Limit, Optimal
from solver.problem import Problem
from tests.helpers.builders import Line, chain, device_of, graph_of, problem_of
from tests.helpers.solving import exact_energy_j, run


def baseline_s(depth: int = 6) -> float:
    return price(chain(depth), device_of()).baseline_runtime_s


@pytest.mark.parametrize("depth", [4, 5, 7, 9])
def test_that_the_runtime_of_a_schedule_is_a_limit_that_it_keeps(depth: int) -> None:
    # 28 B hold three tensors of 7 B and the loss: the others are paged at microseconds, far below
    # the rounding of the seconds that the ops take.
    graph = chain(depth, size=7)
    free = run(problem_of(graph, 28)).outcome
    assert isinstance(free, Optimal)

    limited = problem_of(graph, 28, runtime_s=free.trace.runtime_s)

    assert exact_energy_j(limited) == pytest.approx(free.trace.total_energy_j, rel=1e-12)


@pytest.mark.parametrize("short", [0.0, 3e-10, 9e-10])
@pytest.mark.parametrize("strategy", ["keep-all", "joint"])
def test_that_a_limit_of_the_baseline_but_for_rounding_is_kept_by_running_every_op_once(
    short: float, strategy: str
) -> None:
    # The verifier grants 1e-9: a limit that was printed and typed again must not become impossible.
    problem = problem_of(chain(6), 10**6, runtime_s=baseline_s() * (1 - short))

    result = run(problem, strategy=strategy)

    assert isinstance(result.outcome, Optimal)
    assert result.energy_j == pytest.approx(problem.costed.baseline_energy_j, rel=1e-12)


def test_that_time_is_blamed_when_more_of_it_would_do() -> None:
    # Without paging 3004 B need ten reruns of 1 s (28 s); 5 % more than 18 s are not enough.
    problem = problem_of(chain(6), 3004, paging=False, runtime_s=1.05 * baseline_s())
    assert exact_energy_j(problem_of(chain(6), 3004, paging=False)) == pytest.approx(28.000001)

    outcome = run(problem).outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RUNTIME
    assert "allow more time" in outcome.message


def unpageable_problem(runtime_s: float | None) -> Problem:
    """f1 (1000 B, unpageable) waits for b1 and is made again for 1 J; 2001 B do not hold it."""
    lines = [
        Line("f1", "f", 1000, 1e6, pageable=False),
        Line("f2", "f", 1000, 1e6, ("f1",)),
        Line("f3", "f", 1001, 1e6, ("f2",)),
        Line("b2", "b", 500, 1e6, ("f3",)),
        Line("b1", "b", 500, 1e6, ("b2", "f1")),
    ]
    return problem_of(graph_of(lines), 2001, runtime_s=runtime_s)


def test_that_time_is_blamed_where_a_tensor_cannot_be_paged_but_made_again() -> None:
    # 5 ops of 1 s, and 1 s for the rerun
    assert exact_energy_j(unpageable_problem(6.0)) == pytest.approx(6.0)

    outcome = run(unpageable_problem(5.5)).outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RUNTIME


def test_that_neither_limit_is_blamed_alone_when_neither_is_known_to_be_enough() -> None:
    # Nothing may be made again or paged: RAM is short whatever the time.
    problem = problem_of(chain(6), 3004, paging=False, recompute=False, runtime_s=1000.0)

    outcome = run(problem).outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RAM
    assert "more RAM" in outcome.message
    assert "time" in outcome.message
