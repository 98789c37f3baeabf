"""Claim: a row becomes its problem, is solved by the clock, and leaves a whole history."""

import msgspec
import pytest

from solver.bench.measure import measure, problem_of
from solver.bench.process import answer
from solver.bench.records import Request, Row, RowResult, decode, encode
from solver.bench.rows import all_rows
from solver.bench.runner import ask_process
from solver.device import IoMode
from solver.errors import ModelError
from solver.graph import Accounting
from tests.helpers.bench import document

LINEAR = Row(
    name="reference/linear/nrf52840/3388", part="reference", model="linear", device="nrf52840",
    accounting=Accounting.POET, io=IoMode.IGNORED, ram_bytes=3388, runtime_ratio=2.0,
)  # fmt: skip


def test_that_a_reference_row_is_a_problem_of_the_released_graph() -> None:
    problem = problem_of(LINEAR)
    assert problem.costed.graph.settings.accounting is Accounting.POET
    assert problem.switches.io is IoMode.IGNORED
    assert problem.budgets.ram_bytes == 3388
    assert problem.budgets.runtime_s == 2.0 * problem.costed.baseline_runtime_s


def test_that_a_real_row_takes_a_share_of_the_plain_peak_or_a_multiple_of_the_floor() -> None:
    rows = {row.name: row for row in all_rows()}
    half = problem_of(rows["real/light_squeezenet/nrf52840/0.7"])
    near = problem_of(rows["real/light_squeezenet/nrf52840/floor"])
    assert half.budgets.ram_bytes == half.costed.plain_peak_bytes * 7 // 10
    assert near.budgets.ram_bytes == near.costed.floor_bytes * 105 // 100
    assert near.budgets.runtime_s is None


def test_that_every_run_ends_in_the_proven_optimum_of_the_reference() -> None:
    found = measure(LINEAR, (20.0, 20.0))
    optimum_j = 0.0004557501675527232 + 4.965425143950307e-06  # data/reference/optima.json
    assert [run.status for run in found.runs] == ["optimal", "optimal"]
    for run in found.runs:
        assert run.verified
        assert run.points[-1].energy_j == pytest.approx(optimum_j, rel=1e-6)
        assert run.points[-1].bound_j == pytest.approx(optimum_j, rel=1e-6)
        times = [point.t_s for point in run.points]
        assert times == sorted(times)
        assert 0 < times[-1] <= run.wall_s < run.limit_s
    assert found.baseline_j == pytest.approx(0.0004557501675527232, rel=1e-9)
    assert (found.ops, found.ram_bytes, found.note) == (27, 3388, "")
    assert found.memory_bytes is None or found.memory_bytes > 20_000_000


def test_that_a_row_below_the_floor_is_told_and_not_solved() -> None:
    low = msgspec.structs.replace(LINEAR, ram_bytes=None, share=0.01)
    found = measure(low, (5.0,))
    assert found.runs == ()
    assert not found.failed
    assert found.note.startswith("the budget is below the floor, ")


def test_that_a_model_that_is_not_there_is_a_failed_row() -> None:
    gone = msgspec.structs.replace(LINEAR, model="onnx:light_nothing")
    found = answer(Request(row=gone, limits_s=(5.0,)))
    assert isinstance(found, RowResult)
    assert found.failed
    assert "light_nothing" in found.note


def test_that_a_document_comes_back_as_it_was() -> None:
    whole = document(measure(LINEAR, (5.0,)))
    assert decode(encode(whole), "here") == whole
    with pytest.raises(ModelError, match="here: this is no benchmark document"):
        decode(b'{"format": "poet.sweep"}', "here")


@pytest.mark.slow
def test_that_a_process_of_its_own_answers_the_same() -> None:
    data = ask_process(Request(row=LINEAR, limits_s=(20.0,)))
    found = msgspec.json.decode(data, type=RowResult)
    assert found.runs[0].status == "optimal"
    assert found.problem == measure(LINEAR, ()).problem
