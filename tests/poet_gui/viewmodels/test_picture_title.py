"""The title of an exported picture says of what it is, for which budgets, and how sure."""

from dataclasses import replace

from poet_gui.explorer import Explorer
from poet_gui.solving.prepare import prepare
from poet_gui.solving.status import status_of
from poet_gui.viewmodels.picture_title import picture_title
from solver.device_files import load_device
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, SolverRecord, StopReason
from solver.problem import Switches
from solver.units import format_bytes, format_joules, format_seconds
from tests.helpers.builders import chain


def explorer() -> Explorer:
    """The plain schedule of a chain of ops is on screen."""
    device = load_device("nrf52840")
    core = Explorer(device, lambda _topic: None)
    core.open_model(
        prepare(
            chain(4), device, request=GraphRequest("chain"), source="chain", sha256=None,
            graph_key="chain-0",
        )
    )  # fmt: skip
    return core


def test_that_there_is_none_without_a_schedule() -> None:
    assert picture_title(Explorer(load_device("nrf52840"), lambda _topic: None)) == ()


def test_that_the_plain_schedule_is_called_plain_and_has_no_gap() -> None:
    core = explorer()
    assert core.shown is not None
    trace = core.shown.trace
    core.set_ram(trace.peak_bytes - 24)
    core.set_runtime(2 * trace.runtime_s)
    first, second = picture_title(core)
    name, ram = trace.problem.costed.graph.name, format_bytes(trace.peak_bytes - 24)
    assert first.split(" · ") == [
        f"{name} on Nordic nRF52840 (Cortex-M4F)",
        f"RAM ≤ {ram}, runtime ≤ {format_seconds(2 * trace.runtime_s)}",
        "plain schedule: nothing recomputed, nothing paged",
    ]
    assert second.split(" · ") == [
        f"{format_joules(trace.total_energy_j)} (0 %)",
        f"peak {format_bytes(trace.peak_bytes)}, over by 24 B",
        f"runtime {format_seconds(trace.runtime_s)}",
    ]


def test_that_a_result_names_its_strategy_and_what_is_proven() -> None:
    core = explorer()
    core.set_switches(replace(Switches(), paging=False))
    assert core.shown is not None
    trace = core.shown.trace
    energy_j = trace.total_energy_j
    record = SolverRecord("joint", "none", "", 0.0)
    outcome = Feasible(trace, energy_j, StopReason.TIME, "found", record)
    core.finish(outcome, status_of(outcome))
    first, second = picture_title(core)
    assert first.endswith("no runtime limit · recompute only strategy")
    assert "(proven)" in second
