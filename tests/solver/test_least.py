"""Claim: the least budget is the least: it works, a byte less does not, and both are proven."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest
from hypothesis import HealthCheck, given, settings

from solver import api
from solver.device import IoMode
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.least import least_budget
from solver.least_search import priced_in_seconds
from solver.outcome import Feasible, Infeasible, LeastBudget, Limit, Optimal
from solver.problem import Budgets, Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.verify import verify
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems

WORK = SolveOptions(time_limit_s=600.0, work_limit=20.0)
CASES = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


def least(problem: Problem, limit: Limit) -> LeastBudget:
    """What is found with plenty of work; its schedule needs just that and is legal."""
    seen: list[LeastBudget] = []
    found = least_budget(problem, limit, WORK, seen.append)
    assert [known.lower for known in seen] == sorted(known.lower for known in seen)
    uppers = [known.upper for known in seen if known.upper is not None]
    assert uppers == sorted(uppers, reverse=True)
    if found.trace is not None:
        assert verify(found.trace.schedule, found.trace.problem).ok
        peak, runtime_s = found.trace.peak_bytes, found.trace.runtime_s
        assert found.upper == (peak if limit is Limit.RAM else runtime_s)
        if limit is Limit.RAM:
            assert problem.budgets.allow_runtime(runtime_s)
        else:
            assert peak <= problem.budgets.ram_bytes
    return found


def works(problem: Problem) -> bool:
    """Whether a solve finds a schedule; else it proves that there is none."""
    outcome = api.solve(problem, SolveOptions(gap=1.0, time_limit_s=600.0))
    assert isinstance(outcome, Optimal | Feasible | Infeasible)
    return isinstance(outcome, Optimal | Feasible)


def test_that_without_paging_the_least_ram_is_more_than_the_floor() -> None:
    # b2 reads f2 and b3; f3's making needs f2; without paging f1 stays or is made again.
    problem = problem_of(chain(6), 3000, paging=False)

    found = least(problem, Limit.RAM)

    assert found.exact
    assert found.upper is not None
    assert not works(replace(problem, budgets=Budgets(int(found.upper) - 1)))
    assert works(replace(problem, budgets=Budgets(int(found.upper))))


def test_that_with_paging_and_time_the_floor_is_the_least() -> None:
    found = least(problem_of(chain(6), 10), Limit.RAM)

    assert (found.lower, found.upper, found.exact) == (3000, 3000, True)


def test_that_a_tensor_that_must_stay_raises_the_least_ram() -> None:
    lines = [
        Line("f1", "f", 100, 1e6, recomputable=False, pageable=False),
        Line("f2", "f", 100, 1e6, ("f1",)),
        Line("f3", "f", 100, 1e6, ("f2",)),
        Line("b3", "b", 100, 1e6, ("f3",)),
        Line("b1", "b", 100, 1e6, ("b3", "f1")),
    ]

    found = least(problem_of(graph_of(lines), 0), Limit.RAM)

    # f1 stays from its making to b1: f3 runs with f1, f2, f3 in RAM, b1 with f1, b3, b1.
    assert (found.lower, found.upper, found.exact) == (300, 300, True)


def test_that_the_least_runtime_is_the_cheapest_way_to_make_room() -> None:
    # f1 must leave while f2 and f3 run. Paging it takes 2 * 100 B at 1e5 B/s = 2 ms, making it
    # again 1 s; every op once takes 5 s.
    lines = [
        Line("f1", "f", 100, 1e6),
        Line("f2", "f", 100, 1e6, ("f1",)),
        Line("f3", "f", 200, 1e6, ("f2",)),
        Line("b3", "b", 100, 1e6, ("f3",)),
        Line("b1", "b", 100, 1e6, ("b3", "f1")),
    ]
    paged = problem_of(graph_of(lines), 300, runtime_s=5.0)

    assert least(paged, Limit.RUNTIME).upper == pytest.approx(5.002)
    remade = replace(paged, switches=replace(paged.switches, paging=False))
    assert least(remade, Limit.RUNTIME).upper == pytest.approx(6.0)
    neither = replace(remade, switches=replace(remade.switches, recompute=False))
    assert least(neither, Limit.RUNTIME).hopeless
    assert least(neither, Limit.RAM).upper == 400  # f1, f2 and f3 together


def test_that_too_short_a_limit_is_hopeless_for_ram() -> None:
    found = least(problem_of(chain(4), 3000, runtime_s=11.0), Limit.RAM)

    assert found.hopeless
    assert found.upper is None


def test_that_ignored_transfers_take_no_time() -> None:
    problem = problem_of(chain(6), 3000, runtime_s=1.0, io=IoMode.IGNORED)

    found = least(problem, Limit.RUNTIME)

    assert found.exact
    assert found.upper == pytest.approx(problem.costed.baseline_runtime_s)


def test_that_side_by_side_needs_no_more_time_than_one_after_the_other() -> None:
    blocking = problem_of(chain(6), 3000, runtime_s=1.0)
    beside = replace(blocking, switches=replace(blocking.switches, io=IoMode.OVERLAPPED))

    slow, quick = least(blocking, Limit.RUNTIME), least(beside, Limit.RUNTIME)

    assert slow.upper is not None
    assert quick.upper is not None
    assert quick.upper < slow.upper
    assert quick.lower <= quick.upper
    limited = replace(beside, budgets=Budgets(3000, quick.upper))
    assert least(limited, Limit.RAM).upper == 3000


def test_that_what_is_ruled_out_is_the_lower_end() -> None:
    problem = problem_of(chain(6), 3500, paging=False)

    found = least_budget(problem, Limit.RAM, replace(WORK, work_limit=0.0), impossible=True)

    assert found.lower == 3504  # the next multiple of 4 B, the divisor of all sizes


def test_that_a_bracket_is_there_without_any_work() -> None:
    found = least_budget(
        problem_of(chain(6), 3000, paging=False), Limit.RAM, replace(WORK, time_limit_s=0.0)
    )

    assert (found.lower, found.upper, found.exact) == (3000, 7004, False)


@CASES
@given(problems(most_forward=3, most_backward=2))
def test_that_the_least_ram_is_that_of_an_exhaustive_search(problem: Problem) -> None:
    found = least(problem, Limit.RAM)
    if found.hopeless:
        assert least_energy(replace(problem, budgets=Budgets(10**9, 0.0))) is None
        return
    assert found.exact
    assert found.upper is not None
    runtime_s, upper = problem.budgets.runtime_s, int(found.upper)
    assert least_energy(replace(problem, budgets=Budgets(upper, runtime_s))) is not None
    assert least_energy(replace(problem, budgets=Budgets(upper - 1, runtime_s))) is None


@CASES
@given(problems(most_forward=3, most_backward=2))
def test_that_the_least_runtime_is_that_of_an_exhaustive_search(problem: Problem) -> None:
    found = least(problem, Limit.RUNTIME)
    ram, io = problem.budgets.ram_bytes, problem.switches.io
    expected_s = least_energy(priced_in_seconds(problem, ram, io))
    if expected_s is None:
        assert found.hopeless
        return
    assert found.exact
    assert found.upper == pytest.approx(expected_s, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("io", [IoMode.BLOCKING, IoMode.OVERLAPPED])
@settings(CASES, max_examples=6)
@given(problem=problems(most_forward=4, most_backward=3, limited=True))
def test_that_a_solve_with_the_least_budget_finds_a_schedule(problem: Problem, io: IoMode) -> None:
    problem = replace(problem, switches=replace(problem.switches, io=io))
    options = replace(WORK, work_limit=2.0)
    for limit in Limit:
        found = least_budget(problem, limit, options)
        if found.hopeless:
            continue
        assert found.upper is not None
        budgets = (
            replace(problem.budgets, ram_bytes=int(found.upper))
            if limit is Limit.RAM
            else Budgets(problem.budgets.ram_bytes, found.upper)
        )
        assert works(replace(problem, budgets=budgets))
        refused = found.ruled_out(problem.budgets)
        assert refused is not None
        if found.exact and io is IoMode.BLOCKING:
            assert not works(replace(problem, budgets=refused))


def hard() -> Problem:
    graph = api.load_training_graph(GraphRequest("resnet18_cifar", Accounting.POET)).graph
    device = api.load_device("nrf52840")
    return api.make_problem(graph, device, ram_ratio=0.3, paging=False)


def harder() -> Problem:
    """The least runtime of the one above is known within two seconds."""
    graph = api.load_training_graph(GraphRequest("resnet18")).graph
    device = api.load_device("nrf52840")
    return api.make_problem(graph, device, ram_ratio=0.5, paging=False)


@pytest.mark.benchmark
@pytest.mark.parametrize(("problem", "limit"), [(hard, Limit.RAM), (harder, Limit.RUNTIME)])
def test_that_a_search_ends_soon_after_it_was_asked(
    problem: Callable[[], Problem], limit: Limit
) -> None:
    import_module("solver.strategies.joint_proof")  # cvxpy: an import hears nobody
    cancel, asked = Cancel(), []

    def ask() -> None:
        asked.append(time.process_time())
        cancel.request()

    timer = threading.Timer(2.0, ask)
    timer.start()
    found = least_budget(problem(), limit, SolveOptions(time_limit_s=600.0), cancel=cancel)

    assert asked, "it was over before: not hard enough"
    seconds = time.process_time() - asked[0]
    print(f"least {limit}: ended {seconds:.2f} s of work after it was asked")  # noqa: T201 - the figure
    assert seconds < 3  # a third of it is what a user should wait
    assert found.lower > 0


@pytest.mark.slow
def test_that_a_work_limit_gives_the_same_bracket_again() -> None:
    options = SolveOptions(time_limit_s=600.0, work_limit=1.0)

    first, second = (least_budget(hard(), Limit.RAM, options) for _ in range(2))

    assert (first.lower, first.upper) == (second.lower, second.upper)
