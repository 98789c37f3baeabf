"""What is said of a schedule that is run on real tensors: whether it can be, and what was found."""

from typing import Final

from poet_gui.viewmodels.import_report import Fact, Section
from solver.costs import CostedGraph
from solver.errors import Issue
from solver.replay_report import EAGER_TOLERANCE, UNSTEADY, KindTimes, ReplayReport, eager_words
from solver.schedule import ActionKind
from solver.units import format_bytes_exactly, format_count, format_seconds

NOT_TRACED: Final = (
    "Only a traced PyTorch model can be run: poet trace module.py:factory --input SHAPE -o NET.json"
)
_SHOWN_NAMES: Final = 5
_KINDS: Final = {
    ActionKind.COMPUTE: "Computed",
    ActionKind.RECOMPUTE: "Recomputed",
    ActionKind.PAGE_OUT: "Paged out",
    ActionKind.PAGE_IN: "Paged in",
}


def why_not_run(costed: CostedGraph | None) -> str:
    """Why a schedule of this graph cannot be run; empty when it can."""
    if costed is None:
        return "Open a traced PyTorch model first."
    return "" if costed.graph.program is not None else NOT_TRACED


def progress_words(done: int, total: int) -> str:
    """Where a run stands."""
    if not done:
        return "Making network and batch, and the same step in plain order …"
    return f"Action {format_count(done)} of {format_count(total)}"


def cancelled_sections() -> tuple[Section, ...]:
    """That the user has ended a run."""
    return (Section("Cancelled", sentences=("Nothing of the run is left.",)),)


def refusal_sections(issues: tuple[Issue, ...], details: str = "") -> tuple[Section, ...]:
    """Why nothing was run."""
    sentences = tuple(str(issue) for issue in issues)
    sections = [Section("It could not be run", sentences=sentences, is_warning=True)]
    if details:
        sections.append(Section("Details", sentences=tuple(details.strip().splitlines()[-12:])))
    return tuple(sections)


def run_sections(report: ReplayReport, device: str) -> tuple[Section, ...]:
    """What was promised beside what happened; `device` is the one that times are predicted for."""
    sections = [_verdict(report)]
    if report.fault:
        title = "The first action that differs"
        sections.append(Section(title, sentences=(report.fault,), is_warning=True))
    if report.different:
        title = "Gradients with other bits than in plain order"
        sections.append(Section(title, sentences=(_names(report),), is_warning=True))
    return (*sections, _times(report, device))


def _verdict(report: ReplayReport) -> Section:
    same = report.gradients - len(report.different)
    peak, promised = (
        format_bytes_exactly(size) for size in (report.peak_bytes, report.predicted_bytes)
    )
    met = "as promised" if report.peak_bytes == report.predicted_bytes else f"promised {promised}"
    facts: list[Fact] = [
        ("Gradients", f"{same} of {report.gradients} bit-equal to plain order", ""),
        ("Peak", f"{peak}, {met}", "largest sum of live tensors, weights apart"),
    ]
    if not report.fault:
        words = eager_words(report.eager_error)
        facts.insert(1, ("Eager mode", words, f"up to {EAGER_TOLERANCE:.0e} is rounding"))
    if report.loss is not None:
        facts.append(("Loss", f"{report.loss:.6g}", ""))
    facts.append(("PyTorch", report.torch, ""))
    title = "Everything happened as promised" if report.agrees else "Not everything was as promised"
    said = (f"{UNSTEADY}.",) if report.unsteady else ()
    return Section(title, tuple(facts), said, is_warning=not report.agrees)


def _names(report: ReplayReport) -> str:
    names = report.different
    more = len(names) - _SHOWN_NAMES
    shown = ", ".join(names[:_SHOWN_NAMES])
    rest = f" and {more} more" if more > 0 else ""
    return f"{len(names)} of {report.gradients}: {shown}{rest}"


def _times(report: ReplayReport, device: str) -> Section:
    facts = tuple(
        (_KINDS[kind], _time(times), "")
        for kind, times in report.times.items()
        if kind in _KINDS and times.count
    )
    sentence = f"Measured on this machine, predicted for {device}."
    return Section("Time by kind of action", facts, (sentence,))


def _time(times: KindTimes) -> str:
    here, there = format_seconds(times.measured_s), format_seconds(times.predicted_s)
    return f"{format_count(times.count)} in {here}, predicted {there}"
