"""Finding tensors and actions: "conv3", "kind:recompute", "size>64k", and all of them together."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from poet_gui.viewmodels.distinct import first_places
from poet_gui.viewmodels.trace_index import IntArray, Kind, index_trace
from solver.errors import EngineError
from solver.simulate import Trace
from solver.units import parse_bytes

BoolArray = NDArray[np.bool_]

_KINDS: Final = MappingProxyType(
    {
        "compute": Kind.COMPUTE,
        "recompute": Kind.RECOMPUTE,
        "pagein": Kind.PAGE_IN,
        "pageout": Kind.PAGE_OUT,
        "free": Kind.FREE,
    }
)
_COMPARE: Final = MappingProxyType[str, Callable[[IntArray, int], BoolArray]](
    {
        ">": np.greater,
        ">=": np.greater_equal,
        "<": np.less,
        "<=": np.less_equal,
        "=": np.equal,
    }
)
_SIZE: Final = re.compile(r"size(>=|<=|>|<|=)(.+)", re.IGNORECASE)
_SHORT_UNIT: Final = re.compile(r"([0-9.]+)([kmg])b?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """What to find: every word in the name, every size condition, one of the kinds (if any)."""

    words: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def is_empty(self) -> bool:
        """True when nothing is asked for."""
        return not (self.words or self.kinds or self.sizes)


class QueryError(ValueError):
    """A query that cannot be understood; the text says what would be."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A place to go to: a tensor (None for an op that makes none) and an action."""

    tensor: int | None
    action: int


def parse_query(text: str) -> Query:
    """Understand what a person typed into the search field.

    Raises
    ------
    QueryError
        An unknown kind, or a size that is none.
    """
    words, kinds, sizes = [], [], []
    for part in text.split():
        lower = part.lower()
        if lower.startswith("kind:"):
            kinds.append(_kind(lower.removeprefix("kind:")))
        elif match := _SIZE.fullmatch(part):
            sizes.append((match[1], _size(match[2])))
        else:
            words.append(lower)
    return Query(tuple(words), tuple(kinds), tuple(sizes))


def _kind(text: str) -> Kind:
    name = re.sub(r"[-_]", "", text)
    if name not in _KINDS:
        raise QueryError(f"no kind {text!r}: compute, recompute, page-in, page-out or free")
    return _KINDS[name]


def _size(text: str) -> int:
    short = _SHORT_UNIT.fullmatch(text)
    try:
        return parse_bytes(f"{short[1]}{short[2].upper()}iB" if short else text)
    except EngineError as error:
        raise QueryError(f"{error}; for example size>64k") from error


def find(trace: Trace, query: Query) -> tuple[Hit, ...]:
    """Find what the query asks for, in the order of the schedule; nothing for an empty query.

    With kinds: every action of one of them whose tensor (an op's outputs, else the op itself)
    matches. Without: every matching tensor once, at the action that first brings it into RAM.
    """
    if query.is_empty:
        return ()
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    named = _named(tuple(t.name for t in graph.tensors), query.words)
    sizes = np.array(trace.problem.costed.tensor_bytes, dtype=np.int64)
    wanted = named & _sized(sizes, query)
    if not query.kinds:
        _, at = first_places(index.spans.tensor)
        at = at[wanted[index.spans.tensor[at]]]
        at = at[np.argsort(index.spans.first[at], kind="stable")]
        return tuple(
            Hit(int(tensor), int(action))
            for tensor, action in zip(index.spans.tensor[at], index.spans.first[at], strict=True)
        )
    return _actions(trace, query, wanted)


def _actions(trace: Trace, query: Query, wanted: BoolArray) -> tuple[Hit, ...]:
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    op_named = _named(tuple(op.name for op in graph.ops), query.words)
    op_tensor = []
    for op, made in enumerate(graph.op_outputs):
        found = next((t for t in made if wanted[t]), made[0] if made else None)
        fits = bool(op_named[op]) and not query.sizes
        op_tensor.append((found, fits or any(wanted[t] for t in made)))
    hits = []
    for action in np.flatnonzero(np.isin(index.kind, query.kinds)).tolist():
        target = int(index.target[action])
        if index.kind[action] <= Kind.RECOMPUTE:
            tensor, fits = op_tensor[target]
        else:
            tensor, fits = target, bool(wanted[target])
        if fits:
            hits.append(Hit(tensor, action))
    return tuple(hits)


def _named(names: tuple[str, ...], words: tuple[str, ...]) -> BoolArray:
    return np.array([all(word in name.lower() for word in words) for name in names], dtype=bool)


def _sized(sizes: IntArray, query: Query) -> BoolArray:
    fits = np.ones(len(sizes), dtype=bool)
    for sign, limit in query.sizes:
        fits &= _COMPARE[sign](sizes, limit)
    return fits
