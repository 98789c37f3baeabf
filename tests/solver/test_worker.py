"""Claim: the solve process answers every request once, hears Cancel, and outlives no window."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.messages import (
    Cancel,
    FindLeast,
    LeastBracket,
    LeastFound,
    LoadFailed,
    LoadModel,
    Message,
    ModelLoaded,
    Ready,
    Shutdown,
    Solve,
    SolveEvent,
    SolveFinished,
    SolveIncumbent,
    Warm,
    WorkerEvent,
    encode,
    event_reader,
    load_model,
)
from solver.outcome import Limit
from solver.packing import unpack_least
from solver.problem import Budgets, SolveOptions, Switches
from tests.helpers.builders import chain, device_of, problem_of
from tests.helpers.command import GRAPHS

PAGE_ALL = SolveOptions(strategy="page-all")


class _Process:
    """A solve process as the window sees it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._stdin: IO[bytes] = process.stdin
        self._reader = event_reader(process.stdout)

    def ask(self, *messages: Message) -> None:
        for message in messages:
            self._stdin.write(encode(message))
        self._stdin.flush()

    def next(self) -> WorkerEvent:
        """The next event but Ready and Warm."""
        while isinstance(event := self._reader.read(), Ready | Warm):
            pass
        assert event is not None, "the process ended"
        return event

    def until_finished(self) -> list[SolveEvent]:
        events: list[SolveEvent] = []
        while not events or not isinstance(events[-1], SolveFinished):
            event = self.next()
            assert isinstance(event, SolveEvent)
            events.append(event)
        return events


@contextmanager
def _process(arguments: tuple[str, ...] = ("-m", "solver.worker")) -> Iterator[_Process]:
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield _Process(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[_Process]:
    with _process() as process:
        yield process


def _solve(request_id: int, ram_bytes: int, options: SolveOptions = PAGE_ALL) -> Solve:
    return Solve(
        request_id, "chain", device_of(), Budgets(ram_bytes), options=options, graph=chain(4)
    )


def test_that_a_solve_ends_with_exactly_one_finished(worker: _Process) -> None:
    worker.ask(_solve(1, 3004), _solve(2, 3004))

    first, second = worker.until_finished(), worker.until_finished()

    assert {event.id for event in first} == {1}
    assert {event.id for event in second} == {2}
    assert isinstance(first[-1], SolveFinished)
    assert first[-1].outcome.status == "feasible"
    assert any(isinstance(event, SolveIncumbent) for event in first)


def test_that_a_graph_needs_to_be_sent_only_once(worker: _Process) -> None:
    worker.ask(_solve(3, 3004))
    worker.until_finished()
    worker.ask(Solve(4, "chain", device_of(), Budgets(10**6), options=PAGE_ALL))

    finished = worker.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert finished.outcome.status == "feasible"


def test_that_an_unknown_graph_is_a_failure_in_words(worker: _Process) -> None:
    worker.ask(Solve(5, "nobody", device_of(), Budgets(10**6), options=PAGE_ALL))

    finished = worker.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert finished.outcome.status == "failed"
    assert "nobody" in finished.outcome.message


def test_that_an_unknown_strategy_is_a_failure_with_the_nearest_name(worker: _Process) -> None:
    worker.ask(_solve(6, 3004, SolveOptions(strategy="page-al")))

    finished = worker.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert "page-all" in finished.outcome.message


def test_that_a_budget_below_the_floor_is_infeasible(worker: _Process) -> None:
    # b2 reads b3 and f2 and makes b2, 1000 B each
    worker.ask(_solve(7, 2999))

    finished = worker.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert finished.outcome.status == "infeasible"


def test_that_a_loaded_model_comes_back_whole_and_may_be_named(worker: _Process) -> None:
    worker.ask(LoadModel(8, GraphRequest("linear", Accounting.POET)))

    loaded = worker.next()

    assert isinstance(loaded, ModelLoaded)
    assert loaded.source == "built-in"
    assert len(loaded.graph.ops) == 27  # input, 12 layers, loss, 13 gradients, as in data/reference
    worker.ask(Solve(9, loaded.graph_key, device_of(), Budgets(10**6), options=PAGE_ALL))
    assert worker.until_finished()[-1].id == 9


def test_that_a_model_that_cannot_be_loaded_is_named(worker: _Process) -> None:
    worker.ask(LoadModel(10, GraphRequest("resnet81")))

    failed = worker.next()

    assert isinstance(failed, LoadFailed)
    assert failed.id == 10
    assert "resnet18" in failed.issues[0].suggestion
    assert failed.details == ""


def test_that_a_request_cancelled_while_it_waits_still_gets_its_answer(worker: _Process) -> None:
    worker.ask(_solve(11, 3004), _solve(12, 3004), Cancel(12), Cancel(999))
    worker.until_finished()

    finished = worker.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert finished.id == 12
    assert finished.outcome.status in {"no_answer", "feasible"}  # it may have begun already


SLOW_STRATEGY = """
import time
from solver import api, worker
from solver.outcome import NoAnswer, SolverRecord, StopReason

class Slow:
    name, summary, paging, recompute = "slow", "Waits until it is cancelled.", None, None

    def solve(self, problem, options, report, cancel, known):
        print("a library prints on stdout")
        if options.seed:
            raise RuntimeError("a fault of ours")
        while not cancel.requested:
            time.sleep(0.01)
        return NoAnswer(StopReason.CANCELLED, "cancelled", SolverRecord("slow", "none", "", 0.0))

api.get_strategy = lambda name: Slow()
worker.main()
"""


@pytest.fixture
def slow() -> Iterator[_Process]:
    with _process(("-c", SLOW_STRATEGY)) as process:
        yield process


@pytest.mark.slow
def test_that_cancel_is_heard_in_mid_solve(slow: _Process) -> None:
    slow.ask(_solve(1, 3004))
    slow.ask(Cancel(1))

    finished = slow.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert finished.outcome.status == "no_answer"


@pytest.mark.slow
def test_that_a_fault_of_ours_ends_the_request_and_not_the_process(slow: _Process) -> None:
    slow.ask(_solve(1, 3004, SolveOptions(seed=1)))

    finished = slow.until_finished()[-1]

    assert isinstance(finished, SolveFinished)
    assert finished.outcome.status == "failed"
    assert "a fault of ours" in finished.outcome.details
    slow.ask(_solve(2, 3004), Cancel(2))
    assert slow.until_finished()[-1].id == 2


@pytest.mark.slow
def test_that_the_process_ends_with_its_parent_in_mid_solve(slow: _Process) -> None:
    slow.ask(_solve(1, 3004))
    assert slow.process.stdin is not None

    slow.process.stdin.close()

    assert slow.process.wait(timeout=240) == 0


@pytest.mark.slow
def test_that_shutdown_ends_the_process_in_mid_solve(slow: _Process) -> None:
    slow.ask(_solve(1, 3004), Shutdown())

    assert slow.process.wait(timeout=240) == 0


@pytest.mark.slow
def test_that_nonsense_on_stdin_ends_the_process_with_a_message() -> None:
    with _process() as broken:
        assert broken.process.stdin is not None
        broken.process.stdin.write(b"\x00\x00\x00\x02{}")
        broken.process.stdin.flush()

        assert broken.process.wait(timeout=240) == 1
        assert broken.process.stderr is not None
        assert b"not a message of this program" in broken.process.stderr.read()


@pytest.mark.slow
def test_that_an_idle_process_warms_up_by_itself() -> None:
    with _process() as idle:
        reader = idle._reader
        assert isinstance(reader.read(), Ready)
        assert isinstance(reader.read(), Warm)


@pytest.mark.slow
def test_that_two_requests_of_one_id_are_both_answered() -> None:
    with _process() as worker:
        worker.ask(LoadModel(1, GraphRequest("nowhere")), LoadModel(1, GraphRequest("nothing")))

        first, second = worker.next(), worker.next()

    assert isinstance(first, LoadFailed)
    assert isinstance(second, LoadFailed)
    assert (first.id, second.id) == (1, 1)


SLOW_READING = """
import functools, sys
from solver import reading, worker

forever = (sys.executable, "-c", "import time; time.sleep(600)")
worker.read_model = functools.partial(reading.read_model, command=forever)
worker.main()
"""


@pytest.mark.slow
def test_that_reading_a_file_is_cancelled_and_the_process_goes_on() -> None:
    file = str(GRAPHS / "01_chain.json")
    with _process(("-c", SLOW_READING)) as worker:
        worker.ask(LoadModel(1, GraphRequest(file)), Cancel(1), _solve(2, 3004))

        failed, began = worker.next(), worker.next()

        assert isinstance(failed, LoadFailed)
        assert "cancelled" in failed.issues[0].message
        assert began.id == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems want names in Unicode")
def test_that_a_file_whose_name_is_no_unicode_is_asked_for(
    worker: _Process, tmp_path: Path
) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.json")
    Path(path).write_bytes((GRAPHS / "01_chain.json").read_bytes())
    worker.ask(load_model(20, GraphRequest(path)))

    loaded = worker.next()

    assert isinstance(loaded, ModelLoaded)
    assert loaded.source.endswith(r"caf\udce9.json")


def _find_least(request_id: int, limit: Limit, budgets: Budgets, **given: Any) -> FindLeast:
    fields: dict[str, Any] = {"graph": chain(4), "switches": Switches(paging=False), **given}
    key = fields.pop("graph_key", "chain")
    return FindLeast(request_id, key, device_of(), budgets, limit, **fields)


def _until_found(worker: _Process) -> tuple[list[LeastBracket], LeastFound]:
    brackets: list[LeastBracket] = []
    while not isinstance(event := worker.next(), LeastFound):
        assert isinstance(event, LeastBracket)
        brackets.append(event)
    return brackets, event


@pytest.mark.parametrize("limit", list(Limit))
def test_that_a_least_budget_comes_with_brackets_and_its_schedule(
    worker: _Process, limit: Limit
) -> None:
    # Without paging chain(4) cannot run within 3000 B, its floor; every op once takes 12.000001 s.
    budgets = Budgets(3000) if limit is Limit.RAM else Budgets(4004, 12.000001)
    worker.ask(_find_least(21, limit, budgets))

    brackets, found = _until_found(worker)

    assert {found.id, *(event.id for event in brackets)} == {21}
    assert found.least is not None
    assert found.least.exact
    assert brackets[-1].least.upper == found.least.upper
    problem = problem_of(chain(4), budgets.ram_bytes, runtime_s=budgets.runtime_s, paging=False)
    least = unpack_least(found.least, problem)
    assert least.trace is not None
    needs = least.trace.peak_bytes if limit is Limit.RAM else least.trace.runtime_s
    assert needs == least.upper


def test_that_a_schedule_is_sent_once_with_its_bracket(worker: _Process) -> None:
    worker.ask(_find_least(22, Limit.RAM, Budgets(3000)))

    brackets, _ = _until_found(worker)

    uppers = [event.least.upper for event in brackets if event.least.schedule is not None]
    assert len(uppers) == len(set(uppers))


def test_that_a_search_for_an_unknown_graph_ends_with_its_fault(worker: _Process) -> None:
    worker.ask(_find_least(23, Limit.RAM, Budgets(3000), graph=None, graph_key="none"))

    _, found = _until_found(worker)

    assert found.least is None
    assert "does not know the graph" in found.message


def test_that_a_search_that_is_not_wanted_any_more_ends_with_what_it_has(worker: _Process) -> None:
    worker.ask(_find_least(24, Limit.RAM, Budgets(3000)), Cancel(24))

    _, found = _until_found(worker)

    assert found.least is not None
    assert found.least.upper is not None  # the plain peak at the least
