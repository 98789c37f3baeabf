"""What several of the engine's tests set up."""

from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import msgspec
import pytest

from solver import plugins, reader, reading
from solver.graph_request import GraphRequest


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points of other packages: none but what a test adds."""
    found: list[EntryPoint] = []
    monkeypatch.setattr(
        plugins, "_entries", lambda group: tuple(each for each in found if each.group == group)
    )
    return found


@pytest.fixture
def files_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read by the code of the reading process, but in this one: a start costs 0.4 s.

    That the process answers the same, and what becomes of it, is the claim of test_reading.py.
    """

    def asked(
        path: Path,
        request: GraphRequest | None,
        limits: reading.ReadingLimits,
        cancelled: Callable[[], bool],
        command: Sequence[str],
    ) -> reader.Answer:
        assert command == reading.READER_COMMAND
        return msgspec.msgpack.decode(reader.answer(str(path), request), type=reader.Answer)

    monkeypatch.setattr(reading, "_asked", asked)
