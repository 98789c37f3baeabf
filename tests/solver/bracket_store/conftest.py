"""A place for stores."""

from pathlib import Path

import pytest

from tests.helpers.stores import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "cache" / "ours")
