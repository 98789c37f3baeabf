"""What several of the engine's tests set up."""

from importlib.metadata import EntryPoint

import pytest

from solver import plugins


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points of other packages: none but what a test adds."""
    found: list[EntryPoint] = []
    monkeypatch.setattr(
        plugins, "_entries", lambda group: tuple(each for each in found if each.group == group)
    )
    return found
