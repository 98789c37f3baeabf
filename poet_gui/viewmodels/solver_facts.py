"""The rows beside the solver's curves: first and best schedule, what is proven, the step."""

from poet_gui.solving.status import SolveStatus, Step
from poet_gui.viewmodels.step_words import step_words
from solver.problem import SolveOptions
from solver.units import format_joules, format_seconds

Fact = tuple[str, str, str]


def solver_facts(status: SolveStatus) -> tuple[Fact, ...]:
    """Name, value and tooltip per row, in a fixed order; unknown values are a dash."""
    first = status.incumbents[0] if status.incumbents else None
    best = status.incumbents[-1] if status.incumbents else None
    bound = status.bounds[-1] if status.bounds else None
    step = step_words(status.steps[-1].name) if status.steps else "–"
    doing = "doing now" if status.phase.is_busy else "did last"
    return (
        ("first schedule", _at(first.t_s, first.joules) if first else "–", ""),
        ("best schedule", _at(best.t_s, best.joules) if best else "–", ""),
        ("at least", _at(bound.t_s, bound.joules) if bound else "–", "proven: none needs less"),
        (doing, step, "\n".join(_told(each) for each in status.steps)),
    )


def _told(step: Step) -> str:
    return f"{format_seconds(step.t_s)}: {step_words(step.name)} ({step.name})"


def solver_words(status: SolveStatus, options: SolveOptions) -> str:
    """Which solver does the work, and how: "HiGHS 1.16 · 1 thread · seed 0"."""
    record = status.outcome.record if status.outcome else None
    threads = f"{options.threads} thread{'s' if options.threads != 1 else ''}"
    parts = [threads, f"seed {options.seed}"]
    if record is not None and record.name not in {"", "none"}:
        parts.insert(0, f"{record.name} {record.version}".strip())
    return " · ".join(parts)


def _at(t_s: float, joules: float) -> str:
    return f"{format_joules(joules)} at {format_seconds(t_s)}"
