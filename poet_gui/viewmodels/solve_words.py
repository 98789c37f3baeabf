"""The state of a solve in words: a short line, how it should look, and what to do next."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

from poet_gui.solving.deliveries import ProcessEnded
from poet_gui.solving.status import Phase, SolveStatus
from solver.brackets import STORED_STEP
from solver.explain import too_little_ram, too_little_time
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    Limit,
    NoAnswer,
    Optimal,
    Outcome,
    StopReason,
    overhead_gap,
)
from solver.problem import Problem
from solver.strategies.registry import PROVING
from solver.units import format_bytes_exactly, format_joules, format_percent, format_seconds


class Tone(StrEnum):
    """How sure or how serious a statement is; a role of the theme, always beside words."""

    MUTED = "muted"
    ACCENT = "accent"
    GOOD = "good"
    WARNING = "warning"
    DANGER = "danger"


@dataclass(frozen=True, slots=True)
class StatusWords:
    """`text` fits a status bar; `detail` is one sentence or empty."""

    text: str
    tone: Tone
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button that makes an impossible problem possible: its text and the budget it sets."""

    text: str
    ram_bytes: int | None = None
    runtime_s: float | None = None


_BUSY: Final = {
    Phase.QUEUED: StatusWords("Queued", Tone.MUTED, "Solving starts when the sliders rest."),
    Phase.BUILDING: StatusWords("Building", Tone.ACCENT, "The problem is handed to the solver."),
    Phase.SOLVING: StatusWords("Solving, no schedule yet", Tone.ACCENT),
    Phase.STOPPING: StatusWords("Stopping", Tone.ACCENT, "The best schedule so far is kept."),
}


def status_words(status: SolveStatus, problem: Problem | None) -> StatusWords:
    """The state of the solve as the status bar says it."""
    if problem is None:
        return StatusWords("Open a model to begin", Tone.MUTED)
    if status.phase is Phase.READY:
        return StatusWords("Ready", Tone.MUTED, "Move a slider or press Solve.")
    if status.phase is Phase.IMPROVING:
        gap = gap_text(problem, status.energy_j, status.bound_j)
        return StatusWords(f"Improving, {gap}" if gap else "Improving", Tone.ACCENT)
    if status.outcome is not None:
        return outcome_words(status.outcome, problem)
    return _BUSY.get(status.phase, StatusWords("Ready", Tone.MUTED))


def outcome_words(outcome: Outcome, problem: Problem) -> StatusWords:
    """How a solve ended, in words that say how sure it is, and whether there was none at all."""
    words = _ended_words(outcome, problem)
    found = outcome.record.incumbents
    stored = bool(found) and all(point.step == STORED_STEP for point in found)
    return replace(words, text=f"{words.text}, stored") if stored else words


def _ended_words(outcome: Outcome, problem: Problem) -> StatusWords:
    match outcome:
        case Optimal():
            return StatusWords("Optimal (proven)", Tone.GOOD, outcome.message)
        case Feasible():
            return _feasible_words(outcome, problem)
        case Infeasible():
            tone = Tone.DANGER if is_proven_impossible(outcome, problem) else Tone.WARNING
            return StatusWords(refusal(outcome, problem), tone, outcome.message)
        case NoAnswer(stop_reason=StopReason.CANCELLED):
            return StatusWords("Stopped, no schedule found yet", Tone.WARNING, outcome.message)
        case NoAnswer():
            text = "Time limit, no schedule found yet"
            return StatusWords(text, Tone.WARNING, outcome.message)
        case Failed():
            return StatusWords("Failed", Tone.DANGER, outcome.message)
        case _:
            assert_never(outcome)


def is_proven_impossible(outcome: Infeasible, problem: Problem) -> bool:
    """Whether no schedule can exist: of a rule of thumb, "does not fit" speaks of it alone."""
    record = outcome.record
    return record.strategy in PROVING or bool(
        too_little_ram(problem, record) or too_little_time(problem, record)
    )


def refusal(outcome: Infeasible, problem: Problem) -> str:
    """Which budget is too small, and for whom."""
    what = "memory" if outcome.reason.limit is Limit.RAM else "runtime"
    if is_proven_impossible(outcome, problem):
        return f"Impossible: too little {what}"
    return f"{outcome.record.strategy} found no schedule: too little {what} for it"


def remedy(outcome: Outcome | None) -> Remedy | None:
    """The least budget that works, when it is known exactly."""
    if not isinstance(outcome, Infeasible) or not outcome.reason.exact:
        return None
    needed = outcome.reason.needed
    if outcome.reason.limit is Limit.RAM:
        return Remedy(f"Raise memory to {format_bytes_exactly(int(needed))}", ram_bytes=int(needed))
    return Remedy(f"Raise runtime to {format_seconds(needed)}", runtime_s=needed)


def curve_words(energy_j: float | None, bound_j: float | None) -> tuple[str, str]:
    """The two labels beside the solver's curves."""
    best = "no schedule yet" if energy_j is None else f"best {format_joules(energy_j)}"
    bound = "" if bound_j is None else f"bound {format_joules(bound_j)}"
    return best, bound


def gap_text(problem: Problem, energy_j: float | None, bound_j: float | None) -> str:
    """The gap on the overhead, rounded up: "gap 1.8 %"; empty while one of the two is not known."""
    if energy_j is None or bound_j is None:
        return ""
    gap = overhead_gap(problem, energy_j, bound_j)
    return "" if gap is None else f"gap {_percent(gap)}"


def _feasible_words(outcome: Feasible, problem: Problem) -> StatusWords:
    gap = overhead_gap(problem, outcome.trace.total_energy_j, outcome.bound_j)
    within = "" if gap is None else f"within {_percent(gap)} (proven)"
    match outcome.stop_reason:
        case StopReason.TIME | StopReason.WORK:
            text, tone = "Time limit, best kept", Tone.WARNING
            if outcome.stop_reason is StopReason.WORK:
                text = "Work limit, best kept"
        case StopReason.CANCELLED:
            text, tone = "Stopped, best kept", Tone.WARNING
        case StopReason.GAP | StopReason.PROOF:
            text = within[:1].upper() + within[1:] if within else "Verified, bound not known"
            return StatusWords(text, Tone.GOOD if within else Tone.ACCENT, outcome.message)
        case _:
            assert_never(outcome.stop_reason)
    return StatusWords(f"{text}, {within}" if within else text, tone, outcome.message)


def _percent(gap: float) -> str:
    """A gap rounded up in its last shown digit: what is called proven is not rounded away."""
    percent = 100 * gap
    if percent <= 0 or not math.isfinite(percent):
        return format_percent(gap)
    # Two digits below 1 %, one decimal above.
    decimals = 1 if percent >= 1 else 1 - math.floor(math.log10(percent))
    # The small number keeps 0.4 % from becoming 0.41 % because 0.004 is a little more in binary.
    shown = math.ceil(percent * 10.0**decimals - 1e-6) / 10.0**decimals
    return f"{shown:.{decimals}f} %"


def death_words(ended: ProcessEnded, *, was_reading: bool, restarted: bool) -> tuple[str, str]:
    """A solve process that ended unasked: a sentence that says what is done about it, and how."""
    sentence = "The solve process ended unexpectedly"
    if was_reading:
        sentence += " while it read the file"
    if restarted:
        sentence += " and was restarted; your schedule is kept."
    else:
        sentence += " several times and is not started again before the next solve."
    code = ended.returncode
    how = f"signal {-code}" if code < 0 else f"code {code}"
    return sentence, f"It ended with {how}.\n{ended.details}".strip()
