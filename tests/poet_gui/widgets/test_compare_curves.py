"""Claim: the legend of two curves is read whole as long as the widget is wide enough for it."""

from poet_gui.widgets.compare_curves import legend_left


def test_that_the_legend_stands_above_the_axis_where_there_is_room() -> None:
    assert legend_left(60.0, room=400.0, needed=300.0) == 60.0


def test_that_it_begins_further_left_rather_than_lose_its_end() -> None:
    assert legend_left(60.0, room=320.0, needed=300.0) == 20.0


def test_that_it_never_loses_its_beginning() -> None:
    assert legend_left(60.0, room=200.0, needed=300.0) == 0.0
