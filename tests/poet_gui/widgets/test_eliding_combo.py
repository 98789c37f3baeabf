"""Claim: a choice that has no room ends with an ellipsis; the choice itself is whole."""

from pytestqt.qtbot import QtBot

from poet_gui.widgets.eliding_combo import ElidingCombo

LONG = "Raspberry Pi 4B (Cortex-A72, page cache on a card)"


def test_that_a_choice_without_room_says_so(qtbot: QtBot) -> None:
    combo = ElidingCombo()
    qtbot.addWidget(combo)
    combo.addItem(LONG)
    combo.resize(3 * combo.fontMetrics().horizontalAdvance(LONG), combo.sizeHint().height())
    assert combo.shown_text() == LONG
    combo.resize(120, combo.height())
    shown = combo.shown_text()
    assert shown.endswith("…")
    assert LONG.startswith(shown.removesuffix("…").rstrip())
    assert combo.currentText() == LONG


def test_that_a_choice_gives_back_the_room_that_it_no_longer_wants(qtbot: QtBot) -> None:
    combo = ElidingCombo()
    qtbot.addWidget(combo)
    combo.setSizeAdjustPolicy(ElidingCombo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(40)
    wide = combo.minimumSizeHint().width()
    combo.setMinimumContentsLength(10)
    assert combo.minimumSizeHint().width() < wide / 2
