"""Claim: a solve stops when it is asked to or out of time or work, and keeps the best it has."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest

from solver import api
from solver.events import Event, Incumbent, StepChanged
from solver.explain import proven_percent
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, Infeasible, NoAnswer, StopReason, is_proven
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.strategies.limits import Limits
from solver.strategies.registry import get_strategy
from tests.helpers.builders import chain, problem_of
from tests.helpers.solving import assert_legal, run


def hard_problem(ram_ratio: float = 0.25, runtime_ratio: float | None = None) -> Problem:
    """ResNet-18 for CIFAR, whose gap stays open for longer than these tests last."""
    request = GraphRequest("resnet18_cifar", Accounting.POET)
    graph = api.load_training_graph(request).graph
    device = api.load_device("nrf52840")
    return api.make_problem(graph, device, ram_ratio=ram_ratio, runtime_ratio=runtime_ratio)


def test_that_a_wish_from_before_is_heeded_at_once() -> None:
    cancel = Cancel()
    cancel.request()

    outcome = run(problem_of(chain(6), 3004), cancel=cancel).outcome

    assert isinstance(outcome, NoAnswer)
    assert outcome.stop_reason is StopReason.CANCELLED
    assert "before it was stopped" in outcome.message


def test_that_no_time_gives_no_answer_and_says_so() -> None:
    outcome = run(problem_of(chain(6), 3004), time_limit_s=0.0).outcome

    assert isinstance(outcome, NoAnswer)
    assert outcome.stop_reason is StopReason.TIME
    assert "in the time given" in outcome.message
    assert outcome.record.first_answer_s is None
    assert outcome.record.incumbents == ()


def test_that_no_work_gives_no_answer_and_says_so() -> None:
    outcome = run(problem_of(chain(6), 3004), work_limit=0.0).outcome

    assert isinstance(outcome, NoAnswer)
    assert outcome.stop_reason is StopReason.WORK
    assert "within the work limit" in outcome.message


def test_that_what_is_impossible_at_a_glance_needs_no_time() -> None:
    outcome = run(problem_of(chain(6), 2999), time_limit_s=0.0).outcome

    assert "alone needs 3,000 B" in outcome.message  # f1 .. of 1000 B, three of them at b5


@contextmanager
def asked_when(cancel: Cancel, after_s: float) -> Iterator[list[float]]:
    """Ask from another thread after a while; yields where the moment of asking will stand.

    Both are in processor time of this process: what else the machine does must not matter.
    """
    moments: list[float] = []
    over = threading.Event()

    def ask() -> None:
        due = time.process_time() + after_s
        while time.process_time() < due:
            if over.wait(0.005):
                return
        moments.append(time.process_time())
        cancel.request()

    asker = threading.Thread(target=ask)
    asker.start()
    try:
        yield moments
    finally:
        over.set()
        asker.join()


@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize("after_s", [0.05, 1.5, 6.0])
def test_that_a_wish_from_another_thread_keeps_the_best_schedule(after_s: float) -> None:
    problem, cancel = hard_problem(), Cancel()
    run(problem_of(chain(6), 3004))  # what is imported late is not the search

    with asked_when(cancel, after_s) as moments:
        result = run(problem, cancel=cancel, time_limit_s=600.0)
        ended = time.process_time()

    assert ended - moments[0] < 2.0
    outcome = result.outcome
    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is StopReason.CANCELLED
    assert outcome.trace is result.incumbents[-1].trace
    assert outcome.bound_j == max(result.bounds_j)
    assert_legal(result.incumbents[-1])


@pytest.mark.slow
@pytest.mark.parametrize("runtime_ratio", [None, 1.0001])
def test_that_the_time_limit_is_kept(runtime_ratio: float | None) -> None:
    # Within a ten thousandth of the baseline nothing can be paged: no first schedule is found.
    run(problem_of(chain(6), 3004))  # what is imported late is not the search

    began = time.perf_counter()

    outcome = run(hard_problem(0.25, runtime_ratio), time_limit_s=1.0).outcome

    assert time.perf_counter() - began < 10.0  # on a busy machine; without a limit it is minutes
    if runtime_ratio is None:
        assert isinstance(outcome, Feasible)
        assert outcome.stop_reason is StopReason.TIME
    else:
        assert isinstance(outcome, Infeasible | NoAnswer)


@pytest.mark.slow
def test_that_a_wish_is_heeded_while_a_first_schedule_is_looked_for() -> None:
    import_module("solver.strategies.joint_proof")  # that takes a second or two by itself
    cancel = Cancel()

    with asked_when(cancel, 0.3) as moments:
        outcome = run(hard_problem(0.35, 1.0001), cancel=cancel).outcome
        ended = time.process_time()

    assert ended - moments[0] < 1.0
    assert isinstance(outcome, NoAnswer)
    assert outcome.stop_reason is StopReason.CANCELLED


class Stopper:
    """A listener that asks to stop as soon as it hears of the event."""

    def __init__(self, cancel: Cancel, kind: type[Event]) -> None:
        self.cancel = cancel
        self.kind = kind
        self.heard: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.heard.append(event)
        if isinstance(event, self.kind):
            self.cancel.request()


@pytest.mark.parametrize("kind", [Incumbent, StepChanged])
def test_that_a_wish_while_it_reports_is_heeded_after_that_step(kind: type[Event]) -> None:
    cancel = Cancel()
    stopper = Stopper(cancel, kind)
    options = SolveOptions(gap=0.0)

    outcome = get_strategy("joint").solve(
        problem_of(chain(6), 3004, paging=False), options, stopper, cancel
    )

    incumbents = [event for event in stopper.heard if isinstance(event, Incumbent)]
    if kind is Incumbent:
        assert isinstance(outcome, Feasible)
        assert len(incumbents) == 1
        assert outcome.trace is incumbents[0].trace
    else:
        assert isinstance(outcome, NoAnswer)
        assert incumbents == []


def test_that_a_gap_stops_before_the_proof() -> None:
    result = run(hard_problem(), gap=0.9)
    outcome = result.outcome

    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is StopReason.GAP
    overhead = outcome.trace.total_energy_j - outcome.trace.problem.costed.baseline_energy_j
    left = outcome.trace.total_energy_j - outcome.bound_j
    assert left <= 0.9 * overhead
    assert not is_proven(outcome.trace.problem, outcome.trace.total_energy_j, outcome.bound_j)
    assert "stopped at the gap allowed" in outcome.message
    assert f"within {proven_percent(left / overhead)} of" in outcome.message


def test_that_energies_fall_and_bounds_rise() -> None:
    result = run(problem_of(chain(8), 3004))
    energies = [event.energy_j for event in result.incumbents]
    history = result.outcome.record.incumbents

    assert energies == sorted(energies, reverse=True)
    assert result.bounds_j == sorted(result.bounds_j)
    assert history[-1].energy_j == energies[-1]
    assert [point.t_s for point in history] == sorted(point.t_s for point in history)


def limits(cancel: Cancel, **options: float) -> Limits:
    return Limits(SolveOptions(**{"time_limit_s": 60.0, **options}), cancel)  # type: ignore[arg-type] # floats only


def test_that_a_wish_comes_before_the_clock_and_the_clock_before_work() -> None:
    cancel = Cancel()
    all_three = limits(cancel, time_limit_s=0.0, work_limit=0.0)
    assert all_three.reason is StopReason.TIME
    cancel.request()
    assert all_three.reason is StopReason.CANCELLED
    assert limits(Cancel(), work_limit=0.0).reason is StopReason.WORK


def test_that_work_is_counted_up_to_its_limit() -> None:
    limited = limits(Cancel(), work_limit=1.0)
    limited.spend(0.75)
    assert limited.reason is None
    limited.spend(0.25)
    assert limited.reason is StopReason.WORK


def test_that_without_a_work_limit_work_does_not_stop() -> None:
    unlimited = limits(Cancel())
    unlimited.spend(1e9)
    assert unlimited.reason is None
    assert 0 <= unlimited.elapsed_s < 60 - unlimited.left_s + 1
