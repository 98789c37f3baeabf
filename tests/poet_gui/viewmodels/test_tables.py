"""The table twins of the picture: same order, same sums, texts as everywhere."""

import pytest

from poet_gui.viewmodels.tables import Table, actions_table, tensors_table
from tests.helpers.traces import empty_trace, many_outputs_trace, story


def column(table: Table, title: str) -> list[str]:
    [found] = [c for c in table.columns if c.title == title]
    return [found.text(row) for row in range(table.rows)]


def test_that_every_action_is_a_row_and_only_bars_have_a_step() -> None:
    table = actions_table(story())
    assert table.rows == 19
    assert column(table, "step")[:6] == ["1", "2", "3", "", "4", ""]
    assert column(table, "action")[:4] == ["compute", "compute", "page out", "free"]
    assert column(table, "what")[11:13] == ["f2", "b2"]
    assert column(table, "RAM")[12] == "3.91 KiB"  # 4000 B
    assert column(table, "energy")[2] == "10.00 mJ"


def test_that_rows_know_their_tensor_and_action() -> None:
    table = actions_table(story())
    assert table.tensor[11] == 1
    assert table.action.tolist() == list(range(19))
    assert actions_table(many_outputs_trace()).tensor[4] == -1  # an op that makes none


def test_that_names_sort_as_words() -> None:
    table = actions_table(story())
    [found] = [c for c in table.columns if c.title == "what"]
    by_key = sorted(range(table.rows), key=lambda row: found.keys[row])
    names = [found.text(row) for row in by_key]
    assert names == sorted(names)


def test_that_the_tensors_energies_add_up_and_silent_ops_have_a_row() -> None:
    table = tensors_table(many_outputs_trace())
    assert column(table, "tensor") == ["left", "right", "sum", "ops without output"]
    assert column(table, "energy") == ["2.000 J", "2.000 J", "1.000 J", "2.000 J"]
    [share] = [c for c in table.columns if c.title == "share"]
    assert share.keys.sum() == pytest.approx(7.0)  # J, the whole schedule
    assert column(table, "share")[2] == "14.3 %"


def test_that_the_tensors_table_counts_what_happened() -> None:
    table = tensors_table(story())
    assert column(table, "recomputes")[:3] == ["0", "1", "0"]
    assert column(table, "page-ins")[0] == "1"
    assert column(table, "steps in RAM")[0] == "7"  # steps 1 to 3 and 7 to 10


def test_that_an_empty_schedule_has_empty_tables() -> None:
    assert actions_table(empty_trace()).rows == 0
    assert tensors_table(empty_trace()).rows == 0
