"""Claim: tables say what was measured, mark what was not, and go between their markers only."""

import pytest

from solver.bench.goals import Verdict
from solver.bench.records import Document, Point, ReleasedResult
from solver.bench.tables import BEGIN, END, tables, within_markers
from tests.helpers.bench import document, result, row, run

NAME = "real/net/board/0.7"


def lines(found: Document, best_j: float = 105.0) -> list[str]:
    return tables([row()], found, {NAME: best_j}, ()).splitlines()


def cells(found: Document, best_j: float = 105.0) -> dict[str, str]:
    """The one row by its column heads."""
    table = [line.strip("| ").split(" | ") for line in lines(found, best_j) if line[:1] == "|"]
    head, _, row_ = table[0], table[1], [cell.strip() for cell in table[2]]
    return dict(zip(head, [*row_, *[""] * (len(head) - len(row_))], strict=True))


LONG = run((0.2, 106.0, 101.0), (4.0, 105.0, 103.0), (30.0, 105.0, 104.0), steps="abc")


def test_that_a_row_shows_values_bounds_and_who_found_them() -> None:
    assert cells(document(result(LONG))) == {
        "network, device": "net, board", "ops": "100", "RAM": "7.00 MiB (0.70)",
        "best": "5,000.00", "first": "0.200", "at 0.1 s": "–", "at 1 s": "+20.00 %",
        "at 5 s": "+0 %",
        # overhead bound per 100,000; (106 - 101) / 6 and / 106
        "bound 1 s": "1,000.00, 83.33 %, 4.717 %", "bound 5 s": "3,000.00, 40.00 %, 1.905 %",
        "bound 60 s": "4,000.00, 20.00 %, 0.952 %",
        "found by": "b / c", "memory": "200 MiB", "open": "bound",
    }  # fmt: skip


def test_that_times_beyond_the_limit_are_left_open_unless_it_was_proven() -> None:
    short = run((0.2, 106.0, 101.0), limit_s=3.0, wall_s=3.0)
    assert cells(document(result(short)))["at 5 s"] == "–"
    assert cells(document(result(short)))["bound 5 s"] == "–"
    proven = run((0.2, 105.0, 105.0), limit_s=3.0, wall_s=0.3, status="optimal")
    assert cells(document(result(proven)))["bound 60 s"] == "5,000.00, 0 %, 0.000 %"


def test_that_a_long_run_that_was_cut_short_shows_its_end_and_its_length() -> None:
    short = run((0.2, 106.0, 101.0), limit_s=41.0, wall_s=41.0)
    assert cells(document(result(short)))["bound 60 s"] == "1,000.00, 83.33 %, 4.717 % (41 s)"


def test_that_a_row_that_was_not_solved_shows_why() -> None:
    shown = cells(document(result(note="the budget is below the floor")))
    assert shown["best"] == "the budget is below the floor"
    assert shown["bound 60 s"] == ""


def test_that_a_runtime_limit_stands_beside_its_network() -> None:
    name = "limited/net/board/1.01"
    text = tables([row(name)], document(result(LONG, name=name)), {name: 105.0}, ())
    assert "| net, board, 1.01 x | 100 | 7.00 MiB (0.70) |" in text
    assert "within a binding runtime limit" in text


def test_that_a_bound_without_a_schedule_stands_alone() -> None:
    assert cells(document(result(run((0.2, None, 101.0)))))["bound 1 s"] == "1,000.00"


def test_that_the_released_formulation_stands_beside_ours() -> None:
    theirs = ReleasedResult(
        name=NAME, baseline_j=100.0, columns=1234, rows=2345, limit_s=60.0, wall_s=60.0,
        points=(Point(2.0, "released", None, 90.0), Point(7.0, "released", 107.0, 101.0)),
    )  # fmt: skip
    ours = result(run((0.2, 105.0, 105.0), wall_s=0.3, status="optimal"))
    text = lines(document(ours, released=(theirs,)))
    assert text[-1] == (
        "| net, board | 1,234, 2,345 | 7,000.00 | 1,000.00 | 7.000 "
        "| 5,000.00 | 5,000.00 | 0.200 | 0.300 |"
    )


def test_that_goals_count_who_reached_them_and_name_the_misses() -> None:
    text = tables([row()], document(), {}, [Verdict("soon", ("a", "b"), ("c (2 s, time)",))])
    assert text.splitlines()[-1] == "| soon | 2 of 3 | c (2 s, time) |"


def test_that_a_page_begins_with_the_goals_and_folds_every_table() -> None:
    verdict = Verdict("soon", ("a",), ())
    text = tables([row()], document(result(LONG)), {NAME: 105.0}, [verdict], folded=True)
    assert text.startswith("**Goals**\n\n| goal |")
    assert text.endswith("|\n\n</details>\n")
    # A blank line before a table: without it Markdown shows its bars.
    assert "<summary>Real graphs</summary>\n\n| network, device |" in text
    assert text.count("<details>") == text.count("</details>") == 1


def test_that_parts_without_a_result_are_left_out() -> None:
    assert "Reference" not in "\n".join(lines(document(result(LONG))))
    assert "**" not in tables([row()], document(), {}, ())


def test_that_a_section_replaces_what_stood_between_its_markers() -> None:
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = within_markers(text, "new\n")
    assert once == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    assert within_markers(once, "new\n") == once


@pytest.mark.parametrize("text", ["", f"{END}\n{BEGIN}", f"{BEGIN}{BEGIN}{END}", BEGIN])
def test_that_a_text_without_its_markers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="once each and in order"):
        within_markers(text, "new")
