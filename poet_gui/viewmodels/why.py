"""Why a tensor is kept, recomputed, paged or gone at one action, from the schedule alone.

Every figure is a fact of the trace or a price of the device. What would follow from a change is
said only as far as it can be counted with everything else unchanged, and says so.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from poet_gui.viewmodels.resident import place_text
from poet_gui.viewmodels.trace_index import Kind, TraceIndex, index_trace
from solver.device import IoMode
from solver.graph import Phase
from solver.problem import Budgets
from solver.simulate import Trace
from solver.units import format_bytes, format_joules, format_seconds

_MOST_NAMES: Final = 3
_ROUNDING: Final = 1e-9  # relative: the runtime is a float sum


@dataclass(frozen=True, slots=True)
class Why:
    """A heading ("Why recomputed at step 61") and sentences, most important first."""

    title: str
    sentences: tuple[str, ...]


def explain(trace: Trace, tensor: int, action: int, budgets: Budgets | None = None) -> Why:
    """Say what happens to `tensor` around `action` and what the other choices would cost.

    `budgets` : those that the other choices are measured by; None: those of the trace's problem.
    Raises IndexError for an action outside the schedule.
    """
    index = index_trace(trace)
    if not 0 <= action < index.actions:
        raise IndexError(f"no action {action} in a schedule of {index.actions}")
    return _Case(index, tensor, budgets or trace.problem.budgets).explain(action)


class _Case:
    """One tensor in one schedule, with the words and prices that its sentences need."""

    def __init__(self, index: TraceIndex, tensor: int, budgets: Budgets) -> None:
        self.budgets = budgets
        self.index = index
        self.tensor = tensor
        self.problem = index.trace.problem
        self.costed = self.problem.costed
        self.graph = self.costed.graph
        self.size = self.costed.tensor_bytes[tensor]
        self.producer = self.graph.producer[tensor]
        self.op = self.graph.ops[self.producer]
        spans = index.spans.of(tensor)
        self.firsts = index.spans.first[spans].tolist()
        self.lasts = index.spans.last[spans].tolist()

    # Which of the stories is it?

    def explain(self, action: int) -> Why:
        after = int(np.searchsorted(self.firsts, action, side="right"))
        if after == 0:
            return self._not_made(action)
        first, last = self.firsts[after - 1], self.lasts[after - 1]
        if action >= last:
            return self._absent(last, after)
        if self.index.kind[action] == Kind.PAGE_OUT and self.index.target[action] == self.tensor:
            return self._written(action)
        use = self._next_reading(action, last)
        if after > 1 and self._last_reading(action, first) is None:
            return self._brought_back(self.lasts[after - 2], first)
        return self._kept(action, first, last, use)

    def _next_reading(self, action: int, last: int) -> int | None:
        """Return the next op after `action` that reads this copy."""
        use = self.index.next_use(self.tensor, action + 1)
        while use is not None and self.index.kind[use] == Kind.PAGE_OUT:
            use = self.index.next_use(self.tensor, use + 1)
        return use if use is not None and use < last else None

    def _last_reading(self, action: int, first: int) -> int | None:
        """Return the latest op before `action` that has read this copy."""
        use = self.index.last_use(self.tensor, action - 1)
        while use is not None and self.index.kind[use] == Kind.PAGE_OUT:
            use = self.index.last_use(self.tensor, use - 1)
        return use if use is not None and use >= first else None

    # The stories

    def _not_made(self, action: int) -> Why:
        if not self.firsts:
            return Why("Never in RAM", ("This schedule never brings the tensor into RAM.",))
        first = self.firsts[0]
        how = "paged in" if self.index.kind[first] == Kind.PAGE_IN else f"made by {self.op.name}"
        use = self._next_reading(first, self.lasts[0])
        reader = f" for {self._actor(use)} at {self._step(use)}" if use is not None else ""
        return Why(
            "Not in RAM yet",
            (f"It is {how} at {self._step(first)}{reader}, {self._distance(action, first)}.",),
        )

    def _absent(self, freed: int, after: int) -> Why:
        if after == len(self.firsts):
            return Why("Not needed any more", (self._farewell(freed),))
        back = self.firsts[after]
        how = "paged in" if self.index.kind[back] == Kind.PAGE_IN else "recomputed"
        title = f"Why not in RAM: {how} at {self._place(back)}"
        return Why(title, self._hole(freed, back))

    def _brought_back(self, freed: int, back: int) -> Why:
        how = "paged in" if self.index.kind[back] == Kind.PAGE_IN else "recomputed"
        return Why(f"Why {how} at {self._place(back)}", self._hole(freed, back))

    def _written(self, action: int) -> Why:
        title = f"Why paged out at {self._place(action)}"
        ins = (self.index.kind == Kind.PAGE_IN) & (self.index.target == self.tensor)
        later = np.flatnonzero(ins[action:])
        if not len(later):
            return Why(title, ("The copy in storage is not read again in this schedule.",))
        back = action + int(later[0])
        freed = max(last for last in self.lasts if last <= back)
        return Why(title, self._hole(freed, back))

    def _kept(self, action: int, first: int, last: int, use: int | None) -> Why:
        since = self._last_reading(action, first)
        since = first if since is None else since
        reads_now = self.index.next_use(self.tensor, action) == action
        if reads_now:
            since = action
        if use is None:
            return self._idle(since, last, unread=since == first and not reads_now)
        stretch = f"from {self._step(since)} to {self._step(use)}"
        high = f"RAM is highest on the way at {self._high_text(since + 1, use)}"
        sentences = (
            f"Its {format_bytes(self.size)} stay in RAM {stretch} for {self._actor(use)}; {high}.",
            self._recompute_price(use),
            self._paging_price(since),
            "Keeping it costs no energy and no time.",
        )
        title = f"Why kept until {self._place(use)}"
        return Why(title, tuple(text for text in sentences if text))

    def _idle(self, since: int, last: int, *, unread: bool) -> Why:
        later = next((first for first in self.firsts if first >= last), None)
        if later is not None:
            how = "paged in" if self.index.kind[later] == Kind.PAGE_IN else "recomputed"
            title = f"Why freed, then {how} at {self._place(later)}"
            return Why(title, self._hole(last, later))
        if last == self.index.actions:
            return Why(
                "Kept to the end", ("No op reads it again and this schedule never frees it.",)
            )
        reader = "read by no op" if unread else f"read by {self._actor(since)} for the last time"
        return Why("In use", (f"It is {reader} and freed after {self._step_before(last)}.",))

    def _farewell(self, freed: int) -> str:
        use = self._last_reading(freed, 0)
        if use is None:
            return f"No op read it; freed after {self._step_before(freed)}."
        return (
            f"Its last reader, {self._actor(use)}, ran at {self._step(use)}; "
            f"freed after {self._step_before(freed)}."
        )

    def _hole(self, freed: int, back: int) -> tuple[str, ...]:
        """What an absence bought, what it cost, and what else was possible."""
        sentences = [self._keeping(freed, back), self._actual_price(freed, back)]
        if self.index.kind[back] == Kind.PAGE_IN:
            sentences.append(self._recompute_price(back))
        else:
            sentences.append(self._paging_price(freed, instead_of=back))
        return tuple(text for text in sentences if text)

    # The sentences

    def _keeping(self, freed: int, back: int) -> str:
        """Kept, the tensor would add its bytes to every action between the free and the return."""
        bars = freed + 1 + np.flatnonzero(self.index.kind[freed + 1 : back] != Kind.FREE)
        if not len(bars):
            return "Nothing runs between its free and its return: kept, it would fit."
        at = int(bars[np.argmax(self.index.trace.resident_bytes[bars])])
        used = int(self.index.trace.resident_bytes[at])
        budget = self.budgets.ram_bytes
        over = used + self.size - budget
        stand = (
            f"Kept with all else unchanged, its {format_bytes(self.size)} would stand through "
            f"{self._place(at)} "
            f"({format_bytes(used)} of {format_bytes(budget)})"
        )
        if over > 0:
            return f"{stand}: over by {format_bytes(over)}."
        return f"{stand}: it would fit."

    def _actual_price(self, freed: int, back: int) -> str:
        trace = self.index.trace
        energy, seconds = float(trace.energy_j[back]), float(trace.duration_s[back])
        if self.index.kind[back] != Kind.PAGE_IN:
            return f"Recomputed by {self.op.name}, it costs {self._cost(energy, seconds)}."
        out = self._page_out_before(freed)
        if out is None:
            return f"Paged in from storage, it costs {self._cost(energy, seconds)}."
        energy += float(trace.energy_j[out])
        seconds += float(trace.duration_s[out])
        written = f" (written at {self._step(out)})"
        return f"Paged, it costs {self._cost(energy, seconds)} out and in{written}."

    def _page_out_before(self, action: int) -> int | None:
        """Return the page-out that made the copy; None when storage held it from the start."""
        if self.graph.tensors[self.tensor].in_storage_at_start:
            return None
        same = (self.index.kind == Kind.PAGE_OUT) & (self.index.target == self.tensor)
        found = np.flatnonzero(same[:action])
        return int(found[0]) if len(found) else None

    def _paging_price(self, action: int, *, instead_of: int | None = None) -> str:
        if not self.problem.switches.paging:
            return "Paging is switched off."
        if not self.graph.tensors[self.tensor].pageable:
            return "It may not be paged."
        costed = self.costed
        stored = self.graph.tensors[self.tensor].in_storage_at_start
        stored = stored or self._page_out_before(action) is not None
        ignored = self.problem.switches.io is IoMode.IGNORED
        energy = float(costed.page_in_j[self.tensor])
        seconds = float(costed.page_in_s[self.tensor])
        if not stored:
            energy += float(costed.page_out_j[self.tensor])
            seconds += float(costed.page_out_s[self.tensor])
        seconds = 0.0 if ignored else seconds
        ways = "in (storage holds a copy)" if stored else "out and in"
        text = f"Paged, it would cost {self._cost(energy, seconds)} {ways}"
        saved = float(self.index.trace.duration_s[instead_of]) if instead_of is not None else 0.0
        return f"{text}{self._runtime_verdict(seconds - saved)}."

    def _recompute_price(self, at: int) -> str:
        """Price of making the tensor again just before the action `at`."""
        if not self.problem.switches.recompute:
            return "Recomputing is switched off."
        if self.op.phase is not Phase.FORWARD:
            return "It cannot be recomputed: a backward op runs exactly once."
        if not self.op.recomputable:
            return f"It cannot be recomputed: {self.op.name} may not run twice."
        energy = float(self.costed.op_energy_j[self.producer])
        seconds = float(self.costed.op_duration_s[self.producer])
        paged = self.index.kind[at] == Kind.PAGE_IN
        saved = float(self.index.trace.duration_s[at]) if paged else 0.0
        verdict = self._runtime_verdict(seconds - saved)
        text = f"Recomputed by {self.op.name}, it would cost {self._cost(energy, seconds)}{verdict}"
        missing = [
            i for i in self.graph.op_inputs[self.producer] if self.index.span_at(i, at) is None
        ]
        if not missing:
            return f"{text}."
        names = [self.graph.tensors[i].name for i in missing[:_MOST_NAMES]]
        rest = len(missing) - len(names)
        more = f" and {rest} more" if rest else ""
        size = format_bytes(sum(self.costed.tensor_bytes[i] for i in missing))
        return (
            f"{text}, and more to bring back {', '.join(names)}{more} ({size}), "
            f"not in RAM at {self._step(at)}."
        )

    def _runtime_verdict(self, more_s: float) -> str:
        limit = self.budgets.runtime_s
        if limit is None or self.index.overlaps:  # what overlaps may hide, which nobody tried
            return ""
        over = self.index.trace.runtime_s + more_s - limit
        if over <= _ROUNDING * limit:
            return ""
        return f" and overrun the runtime limit by {format_seconds(over)}"

    # The words

    def _high_text(self, start: int, stop: int) -> str:
        stop = max(stop, start) + 1
        at = start + int(np.argmax(self.index.trace.resident_bytes[start:stop]))
        used = format_bytes(int(self.index.trace.resident_bytes[at]))
        return f"{self._step(at)} ({used} of {format_bytes(self.budgets.ram_bytes)})"

    def _actor(self, action: int) -> str:
        """Name of the op that runs at `action`."""
        return self.graph.ops[int(self.index.target[action])].name

    def _cost(self, energy_j: float, seconds: float) -> str:
        return f"{format_joules(energy_j)} and {format_seconds(seconds)}"

    def _step(self, action: int) -> str:
        return f"step {int(self.index.step[action]) + 1}"

    def _step_before(self, free: int) -> str:
        """Step after which a free happens."""
        return f"step {int(self.index.step[free])}"

    def _place(self, action: int) -> str:
        return place_text(self.index, action)

    def _distance(self, action: int, later: int) -> str:
        """How far off `later` is, in steps."""
        steps = int(self.index.step[later] - self.index.step[action])
        return "one step from here" if steps == 1 else f"{steps} steps from here"
