"""What a picture of a schedule says about itself: of what it is, for which budgets, how sure."""

from poet_gui.explorer import Explorer, Origin, Shown
from poet_gui.viewmodels.device_words import device_title
from poet_gui.viewmodels.frontier_sources import STYLES, strategy_label
from poet_gui.viewmodels.solve_words import gap_text, outcome_words
from solver.problem import Budgets, Problem
from solver.units import format_bytes, format_joules, format_percent, format_seconds


def picture_title(core: Explorer) -> tuple[str, ...]:
    """Two lines, as below a figure of a paper; none while there is no schedule.

    "net on board · RAM ≤ 719 KiB, no runtime limit · joint strategy", and what it costs with the
    gap that is proven.
    """
    shown, problem = core.shown, core.problem
    if shown is None or problem is None:
        return ()
    graph, device = problem.costed.graph, problem.costed.device
    parts = (
        f"{graph.name} on {device_title(device)}",
        _limits(problem.budgets),
        _made_by(core, shown, problem),
    )
    return " · ".join(parts), " · ".join(_costs(core, shown, problem))


def _limits(budgets: Budgets) -> str:
    limit_s = budgets.runtime_s
    limit = "no runtime limit" if limit_s is None else f"runtime ≤ {format_seconds(limit_s)}"
    return f"RAM ≤ {format_bytes(budgets.ram_bytes)}, {limit}"


def _made_by(core: Explorer, shown: Shown, problem: Problem) -> str:
    if shown.origin is Origin.PLAIN:
        return "plain schedule: nothing recomputed, nothing paged"
    outcome = core.status.outcome
    if shown.origin is Origin.RESULT and outcome is not None:
        return f"{strategy_label(outcome.record.strategy, problem.switches)} strategy"
    return f"{strategy_label(STYLES[0].strategy, problem.switches)} strategy"


def _costs(core: Explorer, shown: Shown, problem: Problem) -> tuple[str, ...]:
    trace, baseline_j = shown.trace, problem.costed.baseline_energy_j
    energy_j = trace.total_energy_j
    above = f" ({format_percent(energy_j / baseline_j - 1, signed=True)})" if baseline_j else ""
    over = trace.peak_bytes - problem.budgets.ram_bytes
    figures = (
        f"{format_joules(energy_j)}{above}",
        f"peak {format_bytes(trace.peak_bytes)}"
        + (f", over by {format_bytes(over)}" if over > 0 else ""),
        f"runtime {format_seconds(trace.runtime_s)}",
    )
    if shown.origin is Origin.PLAIN:
        return figures
    outcome = core.status.outcome
    if shown.origin is Origin.RESULT and outcome is not None:
        said = outcome_words(outcome, problem).text
        return (*figures, f"{said[:1].lower()}{said[1:]}")
    gap = gap_text(problem, energy_j, shown.bound_j)
    return (*figures, f"provisional, {gap}" if gap else "provisional")
