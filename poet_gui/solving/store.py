"""What this session has solved so far, and what that proves about budgets not solved yet."""

from collections import defaultdict
from dataclasses import dataclass

from solver.outcome import Infeasible, Outcome
from solver.problem import Budgets
from solver.simulate import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """A verified schedule, the bound proven for `budgets` (joules), and how that solve ended.

    `outcome` is None for a schedule found on the way by a solve that was dropped.
    """

    budgets: Budgets
    trace: Trace
    bound_j: float
    outcome: Outcome | None = None

    def fits(self, budgets: Budgets) -> bool:
        """Say whether this very schedule is allowed under other budgets."""
        limit_s = budgets.runtime_s
        return self.trace.peak_bytes <= budgets.ram_bytes and (
            limit_s is None or self.trace.runtime_s <= limit_s
        )


@dataclass(frozen=True, slots=True)
class Bracket:
    """The least energy lies between these, joules; `high_j` is None when no schedule is known.

    `solved` counts the solved budgets behind it.
    """

    low_j: float
    high_j: float | None
    solved: int


def covers(loose: Budgets, tight: Budgets) -> bool:
    """Say whether every schedule allowed under `tight` is allowed under `loose`."""
    if loose.ram_bytes < tight.ram_bytes:
        return False
    if loose.runtime_s is None:
        return True
    return tight.runtime_s is not None and tight.runtime_s <= loose.runtime_s


class SolvedStore:
    """Schedules, bounds and refusals, by the fingerprint of their problem.

    A schedule of peak p and runtime r serves every budget of at least (p, r). A bound holds for
    every tighter budget, and so does a proof that nothing fits.
    """

    def __init__(self) -> None:
        self._solved: dict[str, list[Solved]] = defaultdict(list)
        self._impossible: dict[str, list[tuple[Budgets, Infeasible]]] = defaultdict(list)

    def add(self, fingerprint: str, solved: Solved) -> None:
        """Remember a verified schedule; a better one for the same budgets replaces the older."""
        known = self._solved[fingerprint]
        for i, other in enumerate(known):
            if other.budgets == solved.budgets:
                known[i] = _better(other, solved)
                return
        known.append(solved)

    def add_impossible(self, fingerprint: str, budgets: Budgets, outcome: Infeasible) -> None:
        """Remember that nothing fits these budgets."""
        self._impossible[fingerprint].append((budgets, outcome))

    def all(self, fingerprint: str) -> tuple[Solved, ...]:
        """Every solved budget of that problem, in order of RAM."""
        return tuple(sorted(self._solved[fingerprint], key=lambda s: s.budgets.ram_bytes))

    def best(self, fingerprint: str, budgets: Budgets) -> Solved | None:
        """The schedule of least energy among those that fit; None when none does."""
        fitting = [s for s in self._solved[fingerprint] if s.fits(budgets)]
        return min(fitting, key=lambda s: s.trace.total_energy_j, default=None)

    def exact(self, fingerprint: str, budgets: Budgets) -> Solved | None:
        """The finished solve of exactly these budgets."""
        found = (s for s in self._solved[fingerprint] if s.budgets == budgets and s.outcome)
        return next(found, None)

    def refused(self, fingerprint: str, budgets: Budgets) -> Infeasible | None:
        """The proof that nothing fits exactly these budgets."""
        known = self._impossible[fingerprint]
        return next((outcome for refused, outcome in known if refused == budgets), None)

    def is_impossible(self, fingerprint: str, budgets: Budgets) -> bool:
        """Say whether budgets at least as loose as these were proven impossible."""
        return any(covers(loose, budgets) for loose, _ in self._impossible[fingerprint])

    def bracket(self, fingerprint: str, budgets: Budgets, baseline_j: float) -> Bracket:
        """What is proven about the least energy under `budgets`; the baseline is always a bound."""
        known = self._solved[fingerprint]
        bounds = [s.bound_j for s in known if covers(s.budgets, budgets)]
        best = self.best(fingerprint, budgets)
        high_j = best.trace.total_energy_j if best else None
        return Bracket(max([baseline_j, *bounds]), high_j, len(known))


def _better(old: Solved, new: Solved) -> Solved:
    """Least energy and highest bound of two answers to the same budgets; the later outcome wins."""
    best = min(new, old, key=lambda s: s.trace.total_energy_j)
    return Solved(
        best.budgets, best.trace, max(old.bound_j, new.bound_j), new.outcome or old.outcome
    )
