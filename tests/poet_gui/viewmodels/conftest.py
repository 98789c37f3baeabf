"""View-models know no Qt: their tests make no widgets, and need not be searched for any."""

import pytest


@pytest.fixture(autouse=True)
def _no_widgets_left() -> None:
    """In the place of the window's: a collection after each test is most of what they take."""
