"""Claim: export formats are found by name, other packages' too; a broken one stops nobody."""

import logging
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from solver.errors import UsageError
from solver.exporters import registry
from solver.exporters.registry import exporters, get_exporter
from solver.simulate import Trace, simulate
from tests.helpers.schedules import random_legal_schedule


class Count:
    """Writes the number of actions."""

    name = "count"
    summary = "Number of actions"
    suffix = ".txt"

    def export(self, trace: Trace) -> bytes:
        return str(len(trace.schedule.actions)).encode()


COUNT = Count()


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    found: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: found)
    registry._third_party.cache_clear()
    yield found
    registry._third_party.cache_clear()


def test_that_ours_are_found_by_name() -> None:
    assert [get_exporter(name).suffix for name in ("csv", "chrome-trace")] == [
        ".csv", ".trace.json",
    ]  # fmt: skip
    trace = simulate(*random_legal_schedule(1))
    assert all(exporter.export(trace) for exporter in exporters())


def test_that_an_unknown_format_is_wrong_usage_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"did you mean csv\?"):
        get_exporter("cvs")
    with pytest.raises(UsageError, match="one of: csv, chrome-trace"):
        get_exporter("zzzzz")


def test_that_an_exporter_of_another_package_is_found(entries: list[EntryPoint]) -> None:
    entries.append(EntryPoint("count", f"{__name__}:COUNT", "poet.exporters"))
    schedule, problem = random_legal_schedule(1)
    data = get_exporter("count").export(simulate(schedule, problem))
    assert int(data) == len(schedule.actions)


def test_that_a_broken_exporter_is_logged_and_left_out(
    entries: list[EntryPoint], caplog: pytest.LogCaptureFixture
) -> None:
    entries.append(EntryPoint("broken", "no_such_package:EXPORTER", "poet.exporters"))
    with caplog.at_level(logging.WARNING):
        assert [exporter.name for exporter in exporters()] == ["csv", "chrome-trace"]
    assert "broken" in caplog.text
    caplog.clear()
