"""Claim: export formats are found by name, those of other packages too."""

from importlib.metadata import EntryPoint

import pytest

from solver.errors import UsageError
from solver.exporters.registry import EXPORTERS, get_exporter
from solver.simulate import Trace, simulate
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traced import keep_all, traced_costed


class Count:
    """Writes the number of actions."""

    name = "count"
    summary = "Number of actions"
    suffix = ".txt"

    def export(self, trace: Trace) -> bytes:
        return str(len(trace.schedule.actions)).encode()


COUNT = Count()


def test_that_ours_are_found_by_name() -> None:
    assert [get_exporter(name).suffix for name in ("csv", "chrome-trace", "plan")] == [
        ".csv", ".trace.json", ".plan.json",
    ]  # fmt: skip
    trace = keep_all(traced_costed())
    assert all(exporter.export(trace) for exporter in EXPORTERS.usable()[0])


def test_that_an_unknown_format_is_wrong_usage_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"did you mean csv\?"):
        get_exporter("cvs")
    with pytest.raises(UsageError, match="one of: csv, chrome-trace, plan"):
        get_exporter("zzzzz")


def test_that_an_exporter_of_another_package_is_found(entries: list[EntryPoint]) -> None:
    entries.append(EntryPoint("count", f"{__name__}:COUNT", "poet.exporters"))
    schedule, problem = random_legal_schedule(1)
    data = get_exporter("count").export(simulate(schedule, problem))
    assert int(data) == len(schedule.actions)
