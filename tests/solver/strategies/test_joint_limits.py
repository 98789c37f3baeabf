"""Claim: a solve stops when it is asked to or out of time or work, and keeps the best it has."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest

from solver import api
from solver.events import Bound, Event, Incumbent, StepChanged
from solver.explain import proven_percent
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, NoAnswer, StopReason, is_proven
from solver.problem import Problem, SolveOptions
from solver.strategies import limits as limits_module
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


class Asker:
    """A listener from which another thread learns when to ask: what was reported, not a clock.

    It asks after the `times`-th event of that kind and step.
    """

    def __init__(self, cancel: Cancel, kind: type[Event], step: str, times: int = 1) -> None:
        self.asked_s: float | None = None  # processor time of this process
        self._cancel = cancel
        self._kind, self._step, self._left = kind, step, times
        self._due = threading.Event()
        self._is_over = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, self._kind) and getattr(event, "step", "") == self._step:
            self._left -= 1
            if self._left == 0:
                self._due.set()

    def _ask(self) -> None:
        self._due.wait()
        if not self._is_over:
            self.asked_s = time.process_time()
            self._cancel.request()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        asker = threading.Thread(target=self._ask)
        asker.start()
        try:
            yield
        finally:
            self._is_over = not self._due.is_set()
            self._due.set()
            asker.join()


@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize(
    ("kind", "step", "times"),
    [(StepChanged, "local search", 1), (StepChanged, "gap model", 1), (Bound, "period model", 3)],
    ids=["search", "gap-model", "amid-a-model"],
)
def test_that_a_wish_from_another_thread_keeps_the_best_schedule(
    kind: type[Event], step: str, times: int
) -> None:
    import_module("solver.strategies.joint_proof")  # what is imported late is not the search
    cancel = Cancel()
    asker, events = Asker(cancel, kind, step, times), list[Event]()

    def listen(event: Event) -> None:
        events.append(event)
        asker(event)

    options = SolveOptions(gap=0.0, time_limit_s=600.0)
    with asker.waiting():
        outcome = get_strategy("joint").solve(hard_problem(0.2), options, listen, cancel)
        ended_s = time.process_time()

    assert asker.asked_s is not None, "it was over before: not hard enough"
    assert ended_s - asker.asked_s < 2.0
    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is StopReason.CANCELLED
    incumbents = [event for event in events if isinstance(event, Incumbent)]
    assert outcome.trace is incumbents[-1].trace
    assert outcome.bound_j == max(
        event.bound_j for event in events if isinstance(event, Bound | Incumbent)
    )
    assert_legal(incumbents[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runtime_ratio", "step"),
    [(None, "local search"), (None, "gap model"), (1.0001, "local search")],
)
def test_that_the_time_limit_is_kept(
    runtime_ratio: float | None, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Within a ten thousandth of the baseline nothing can be paged: no first schedule is found.
    late_s, names = [0.0], list[str]()
    monkeypatch.setattr(limits_module, "perf_counter", lambda: time.perf_counter() + late_s[0])

    def listen(event: Event) -> None:
        if isinstance(event, StepChanged):
            names.append(event.step)
            if event.step == step:
                late_s[0] = 7000.0  # a clock that jumps then: the limit is not waited for

    options = SolveOptions(gap=0.0, time_limit_s=6000.0)
    problem = hard_problem(0.25, runtime_ratio)
    outcome = get_strategy("joint").solve(problem, options, listen, Cancel())

    assert names[-1] == step  # nothing was begun after the limit
    assert isinstance(outcome, NoAnswer if runtime_ratio else Feasible)
    assert outcome.stop_reason is StopReason.TIME


@pytest.mark.slow
@pytest.mark.parametrize("step", ["greedy", "local search", "period model"])
def test_that_a_wish_is_heeded_while_a_first_schedule_is_looked_for(step: str) -> None:
    # There is none: nothing can be paged in a ten thousandth more than the baseline takes.
    cancel, names = Cancel(), list[str]()

    def listen(event: Event) -> None:
        if isinstance(event, StepChanged):
            names.append(event.step)
            if event.step == step:
                cancel.request()

    problem = hard_problem(0.35, 1.0001)
    options = SolveOptions(time_limit_s=600.0)
    outcome = get_strategy("joint").solve(problem, options, listen, cancel)

    assert names[-1] == step  # nothing was begun after the wish
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
