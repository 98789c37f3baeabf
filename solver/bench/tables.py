"""The benchmark as Markdown, which reads as well on a terminal."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from solver.bench.figures import (
    VALUE_TIMES_S,
    excess,
    finders,
    first_answer_s,
    lasted,
    moment,
    open_side,
)
from solver.bench.goals import Verdict
from solver.bench.records import Document, ReleasedResult, Row, RowResult
from solver.units import format_bytes, format_count

BEGIN: Final = "<!-- bench: begin (written by `poet bench --readme`) -->"
END: Final = "<!-- bench: end -->"
_NONE: Final = "–"
_GAP_TIMES_S: Final = (1.0, 5.0)
_PER: Final = 1e5
_TITLES: Final = {
    "reference": "Reference budgets",
    "limited": "Half of the plain peak within a binding runtime limit (a ratio of the baseline's)",
    "real": "Real graphs",
}
_SMALLEST: Final = 5e-5  # shown as 0.00 %: below what counts as proven


def tables(
    rows: Sequence[Row],
    document: Document,
    best_j: Mapping[str, float],
    verdicts: Sequence[Verdict],
    *,
    folded: bool = False,
) -> str:
    """All tables with what their columns mean; parts without a result are left out.

    The goals come last, where a terminal ends; `folded` for a page: first, the rest to unfold.
    """
    blocks = [
        (title, "\n".join(_table(results, document, best_j)))
        for part, title in _TITLES.items()
        if (results := _of_part(part, rows, document))
    ]
    if document.released:
        blocks.append(("The released formulation beside ours", "\n".join(_released(document))))
    goals = ["\n".join(("**Goals**", "", *_goals(verdicts)))] if verdicts else []
    legend = "\n".join(_legend(document))
    if folded:
        text = [*goals, legend, *(_foldable(title, block) for title, block in blocks)]
    else:
        text = [legend, *(f"**{title}**\n\n{block}" for title, block in blocks), *goals]
    return "\n\n".join(text) + "\n"


def _of_part(part: str, rows: Sequence[Row], document: Document) -> list[RowResult]:
    names = {row.name for row in rows if row.part == part}
    return [result for result in document.rows if result.name in names]


def _foldable(title: str, block: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{block}\n\n</details>"


def within_markers(text: str, section: str) -> str:
    """`text` with `section` between the markers in place of what stood there.

    Raises ValueError when the markers are not there, once each and in order.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"the text does not hold {BEGIN} and {END}, once each and in order")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{section.strip()}\n{END}{rest.split(END)[1]}"


def _legend(document: Document) -> Iterator[str]:
    repeats = f", medians of {document.repeats + 1}" if document.repeats else ""
    long = f"{document.long_s:g} s"
    yield (
        f"{document.machine}, one thread, a warm process per row{repeats} (the figures at {long} "
        "are of one run). *best*: overhead of the best known schedule, the baseline being 100,000. "
        "*first*: seconds to the first verified schedule. *at*: how far the overhead then was "
        "above the best known one. *bound*: the proven bound on the overhead, the gap to the "
        "schedule at that time as a part of its overhead, and of its whole energy. "
        "*found by*: the steps that found the best schedule and the best bound. *open*: the side "
        "that keeps a gap above 1 % open."
    )


def _table(
    results: Sequence[RowResult], document: Document, best_j: Mapping[str, float]
) -> Iterator[str]:
    times = (*_GAP_TIMES_S, document.long_s)
    shown = tuple(dict.fromkeys(times))
    head = [
        "network, device", "ops", "RAM", "best", "first", *(f"at {t:g} s" for t in VALUE_TIMES_S),
        *(f"bound {t:g} s" for t in shown), "found by", "memory", "open",
    ]  # fmt: skip
    yield _line(head)
    yield _line(["---", "---:", "---", *("---:",) * (len(head) - 6), "---", "---:", "---"])
    for result in results:
        yield _line(_cells(result, shown, best_j.get(result.name, math.inf)))


def _cells(result: RowResult, times: Sequence[float], best_j: float) -> list[str]:
    part, network, device, budget = result.name.split("/")
    name = f"{network}, {device}" + (f", {budget} x" if part == "limited" else "")
    columns = 8 + len(VALUE_TIMES_S) + len(times)
    if not result.runs:
        cells = [name, format_count(result.ops) if result.ops else _NONE, budget, result.note]
        return cells + [""] * (columns - len(cells))
    share = f"{format_bytes(result.ram_bytes)} ({result.ram_bytes / result.plain_peak_bytes:.2f})"
    best = _scaled(best_j, result.baseline_j)
    memory = _NONE if result.memory_bytes is None else format_bytes(result.memory_bytes)
    return [
        name,
        format_count(result.ops),
        share,
        f"{best:,.2f}" if math.isfinite(best) else _NONE,
        _seconds(first_answer_s(result)),
        *(_excess(result, t, best_j) for t in VALUE_TIMES_S),
        *(_bound(result, t) for t in times[:-1]),
        _last_bound(result, times[-1]),
        " / ".join(finders(result)),
        memory,
        {"-": "", "primal": "schedule", "dual": "bound", "both": "both"}[open_side(result, best_j)],
    ]


def _measured(result: RowResult, t_s: float) -> bool:
    return any(lasted(run, t_s) for run in result.runs)


def _excess(result: RowResult, t_s: float, best_j: float) -> str:
    energy_j = moment(result, t_s).energy_j
    if not _measured(result, t_s) or not math.isfinite(energy_j):
        return _NONE
    above = excess(energy_j, best_j, result.baseline_j)
    return "no overhead known" if above is None else f"+{_percent(above)}"


def _bound(result: RowResult, t_s: float) -> str:
    """Bound on the overhead, gap of the overhead and of the total; without a schedule no gaps."""
    if not _measured(result, t_s):
        return _NONE
    now = moment(result, t_s)
    bound = f"{_scaled(now.bound_j, result.baseline_j):,.2f}"
    if now.total_gap is None:
        return bound
    gap = _NONE if now.gap is None else _percent(now.gap)
    return f"{bound}, {gap}, {100 * now.total_gap:.3f} %"


def _last_bound(result: RowResult, t_s: float) -> str:
    """As _bound; where time for all rows ran short, what was known at the end of a shorter run."""
    if _measured(result, t_s):
        return _bound(result, t_s)
    longest_s = max(run.limit_s for run in result.runs)
    return f"{_bound(result, longest_s)} ({longest_s:.0f} s)"


def _percent(part: float) -> str:
    if part < _SMALLEST:
        return "0 %"
    return f"{100 * part:.2f} %" if part < 1 else f"{100 * part:,.0f} %"


def _seconds(seconds: float | None) -> str:
    return _NONE if seconds is None else f"{seconds:.3f}"


def _released(document: Document) -> Iterator[str]:
    """Same row, same limit: overhead and bound per 100,000 of the baseline, released and ours."""
    yield _line(
        ["row", "its columns, rows", "its overhead", "its bound", "its first", "our overhead",
         "our bound", "our first", "ours proven in"]
    )  # fmt: skip
    yield _line(["---", "---", *("---:",) * 7])
    ours = {result.name: result for result in document.rows if result.runs}
    for theirs in document.released:
        name = ", ".join(theirs.name.split("/")[1:3])
        yield _line([name, *_their_cells(theirs), *_our_cells(ours.get(theirs.name))])


def _their_cells(theirs: ReleasedResult) -> list[str]:
    if not theirs.points:
        words = theirs.note or f"no schedule and no bound in {theirs.wall_s:.0f} s"
        return [f"{theirs.columns:,}, {theirs.rows:,}", words, "", ""]
    last = theirs.points[-1]
    first = next((point.t_s for point in theirs.points if point.energy_j is not None), None)
    return [
        f"{theirs.columns:,}, {theirs.rows:,}",
        _NONE if last.energy_j is None else f"{_scaled(last.energy_j, theirs.baseline_j):,.2f}",
        f"{max(0.0, _scaled(last.bound_j, theirs.baseline_j)):,.2f}",
        _seconds(first),
    ]


def _our_cells(ours: RowResult | None) -> list[str]:
    if ours is None:
        return [_NONE] * 4
    end = moment(ours, max(run.limit_s for run in ours.runs))
    long = ours.runs[0]
    return [
        f"{_scaled(end.energy_j, ours.baseline_j):,.2f}",
        f"{_scaled(end.bound_j, ours.baseline_j):,.2f}",
        _seconds(first_answer_s(ours)),
        _seconds(long.wall_s if long.status == "optimal" else None),
    ]


def _scaled(energy_j: float, baseline_j: float) -> float:
    return _PER * (energy_j / baseline_j - 1)


def _goals(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield _line(["goal", "reached", "missed by"])
    yield _line(["---", "---:", "---"])
    for verdict in verdicts:
        count = len(verdict.reached) + len(verdict.missed)
        missed = "; ".join(verdict.missed)
        yield _line([verdict.goal, f"{len(verdict.reached)} of {count}", missed])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
