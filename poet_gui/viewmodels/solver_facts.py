"""The rows beside the solver's curves: first schedule, best, bound, step, when it stops."""

from poet_gui.solving.status import SolveStatus
from solver.problem import SolveOptions
from solver.units import format_joules, format_percent, format_seconds

Fact = tuple[str, str, str]


def solver_facts(status: SolveStatus, options: SolveOptions) -> tuple[Fact, ...]:
    """Name, value and tooltip per row, in a fixed order; unknown values are a dash."""
    first = status.incumbents[0] if status.incumbents else None
    best = status.incumbents[-1] if status.incumbents else None
    bound = status.bounds[-1] if status.bounds else None
    record = status.outcome.record if status.outcome else None
    step = status.steps[-1].name if status.steps else "–"
    stop = f"gap {format_percent(options.gap)} · {format_seconds(options.time_limit_s)}"
    with_what = "–"
    if record is not None and record.name not in {"", "none"}:
        with_what = f"{record.name} {record.version} · {options.threads} thread".strip()
    return (
        ("first schedule", _at(first.t_s, first.joules) if first else "–", ""),
        ("best", _at(best.t_s, best.joules) if best else "–", ""),
        ("bound", _at(bound.t_s, bound.joules) if bound else "–", ""),
        ("step", step, " → ".join(f"{s.name} ({format_seconds(s.t_s)})" for s in status.steps)),
        ("stop at", stop, "whichever comes first"),
        ("solver", with_what, f"strategy {options.strategy}, seed {options.seed}"),
    )


def _at(t_s: float, joules: float) -> str:
    return f"{format_joules(joules)} at {format_seconds(t_s)}"
