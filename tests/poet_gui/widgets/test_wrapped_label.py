"""Claim: a long sentence ends with an ellipsis where the height ends; the text itself is whole."""

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.widgets.wrapped_label import WrappedLabel

LONG = "conv1 alone needs 786,944 B (inputs bn2 256 KiB; outputs relu3 256 KiB), 524,800 B more"


@pytest.fixture
def label(qtbot: QtBot) -> WrappedLabel:
    made = WrappedLabel(least_lines=2)
    qtbot.addWidget(made)
    made.setText(LONG)
    made.resize(made.fontMetrics().horizontalAdvance("x" * 30), 10 * made.fontMetrics().height())
    return made


def test_that_all_lines_are_shown_where_there_is_room(label: WrappedLabel) -> None:
    lines = label.shown_lines()
    assert len(lines) > 2
    assert " ".join(lines) == LONG


def test_that_the_last_line_says_where_the_text_was_cut(label: WrappedLabel) -> None:
    whole = label.shown_lines()
    label.resize(label.width(), 2 * label.fontMetrics().lineSpacing())
    first, last = label.shown_lines()
    assert first == whole[0]
    assert last.endswith("…")
    assert label.text() == LONG


def test_that_its_height_does_not_follow_its_text(label: WrappedLabel) -> None:
    before = label.sizeHint(), label.minimumSizeHint()
    label.setText("short")
    assert (label.sizeHint(), label.minimumSizeHint()) == before
    assert label.sizeHint().height() == 2 * label.fontMetrics().lineSpacing()
