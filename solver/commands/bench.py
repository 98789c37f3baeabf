"""`poet bench`: the benchmark tables, measured row by row and kept as they come."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click

from solver.bench.best import Best, best_energies_j, improved, known_best, write_best
from solver.bench.checks import faults
from solver.bench.goals import verdicts
from solver.bench.records import Document, Row, decode, encode, machine_words
from solver.bench.rows import RELEASED, all_rows, choose, quick_rows
from solver.bench.runner import FULL, QUICK, Plan, ask_process, run_released, run_rows
from solver.bench.tables import tables, within_markers
from solver.commands.interrupts import INTERRUPTED
from solver.commands.output import STDOUT, check_outputs, say, write_output
from solver.commands.progress import Bar
from solver.commands.reading import read_file
from solver.errors import EngineError, Issue, UsageError
from solver.files import is_there
from solver.text import counted, verb

_QUICK_TOLERANCE = 0.15
"""Part of the best known overhead that five seconds may stay above it, on a busy machine."""


@click.command()
@click.option("--quick", is_flag=True, help="Twelve rows, five seconds each, and checks.")
@click.option(
    "--rows",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only rows whose name holds or matches PATTERN (*, ?); may be given again.",
)
@click.option("--list", "only_list", is_flag=True, help="Name the rows and end.")
@click.option("--json", "json_path", metavar="FILE", help="Write everything measured; - is stdout.")
@click.option(
    "--resume",
    "resume_path",
    metavar="FILE",
    help="Keep every finished row in FILE, and take from it those that it already holds.",
)
@click.option("--readme", "readme_path", metavar="FILE", help="Put the tables between its markers.")
@click.option("--record", "is_recorded", is_flag=True, help="Keep better schedules as best known.")
def bench(
    *,
    quick: bool,
    patterns: tuple[str, ...],
    only_list: bool,
    json_path: str | None,
    resume_path: str | None,
    readme_path: str | None,
    is_recorded: bool,
) -> int:
    """Measure first answers, values over time, bounds and memory on reference and real graphs.

    Takes up to 75 minutes, or three with --quick. Ctrl+C keeps the rows that are done; with
    --resume they are not measured again; a readme is only written when all are done.

    Ends with 1 when a schedule or a bound does not hold what it must.
    """
    check_outputs([("--json", json_path), ("--resume", resume_path), ("--readme", readme_path)])
    if readme_path is not None:
        _with_tables(readme_path, "")  # one without the markers is refused before the work
    rows = choose(quick_rows() if quick else all_rows(), patterns)
    if only_list:
        click.echo("\n".join(row.name for row in rows))
        return 0
    plan = QUICK if quick else FULL
    document, interrupted = _measured(rows, plan, _begin(plan, resume_path), resume_path)
    known = known_best()
    best_j = best_energies_j(rows, document, known)
    judged = verdicts(rows, document, best_j)
    if json_path is not None:
        write_output(json_path, encode(document))
    if json_path != STDOUT:
        click.echo(tables(rows, document, best_j, judged))
    if readme_path is not None and not interrupted:
        folded = tables(rows, document, best_j, judged, folded=True)
        write_output(readme_path, _with_tables(readme_path, folded))
    if is_recorded:
        _record(improved(document, known))
    found = faults(rows, document, best_j, tolerance=_QUICK_TOLERANCE if quick else None)
    for sentence in found:
        say(f"poet: {sentence}")
    if interrupted:
        say("interrupted: the rows so far are kept")
        return INTERRUPTED
    return 1 if found else 0


def _begin(plan: Plan, resume_path: str | None) -> Document:
    """An empty document, or what the file to resume holds.

    Raises UsageError when that was measured with other limits.
    """
    fresh = Document(
        machine=machine_words(), long_s=plan.long_s, short_s=plan.short_s, repeats=plan.repeats
    )
    if resume_path is None or not is_there(Path(resume_path)):
        return fresh
    found = decode(read_file(resume_path, "give the file of an earlier --resume"), resume_path)
    limits = (found.long_s, found.short_s, found.repeats)
    if limits != (fresh.long_s, fresh.short_s, fresh.repeats):
        message = f"{resume_path} holds a benchmark of other limits"
        raise UsageError(Issue(message, "--resume", "another file, or with or without --quick"))
    count = len(found.rows)
    say(f"{counted(count, 'row')} {verb(count, 'is', 'are')} taken from {resume_path}")
    return found


def _measured(
    rows: Sequence[Row], plan: Plan, done: Document, resume_path: str | None
) -> tuple[Document, bool]:
    """The document with every row, and whether the user interrupted it."""
    by_name = {row.name: row for row in rows}
    released = [by_name[name] for name in RELEASED if name in by_name and plan is FULL]
    total = len(rows) + len(released)
    # None is tqdm's word for: only on a terminal; stderr is None when the caller closed it.
    disable = True if sys.stderr is None else None
    with closing(Bar(total=total, disable=disable, leave=False, unit="row")) as bar:
        bar.n = len(by_name.keys() & {result.name for result in done.rows})
        try:
            for document in _growing(rows, released, plan, done):
                done = document
                bar.update()
                if resume_path is not None:
                    write_output(resume_path, encode(done))
        except KeyboardInterrupt:
            return done, True
    return done, False


def _growing(
    rows: Sequence[Row], released: Sequence[Row], plan: Plan, done: Document
) -> Iterator[Document]:
    """The document after every row, the released formulation last."""
    for document in run_rows(rows, plan, done=done, ask=ask_process):
        done = document
        yield done
    yield from run_released(released, plan, done=done, ask=ask_process)


def _with_tables(path: str, text: str) -> bytes:
    """The file with `text` between its markers. Raises EngineError when they are not there."""
    whole = read_file(path, "give a file with the markers of the tables")
    try:
        return within_markers(whole.decode(), text).encode()
    except ValueError as error:  # so are bytes that are no UTF-8
        raise EngineError(Issue(str(error), path)) from error


def _record(entries: Sequence[Best]) -> None:
    try:
        write_best(entries)
    except OSError as error:
        message = f"the best known schedules cannot be written: {error.strerror}"
        raise EngineError(Issue(message, "--record", "run it in a checkout")) from error
