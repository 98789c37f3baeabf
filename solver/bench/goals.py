"""What the benchmark is to reach, and which rows miss it, on which side."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from solver.bench.figures import excess, first_answer_s, lasted, moment, open_side
from solver.bench.records import Document, Row, RowResult
from solver.bench.rows import REAL_MODELS

_Unit = Literal["part", "seconds", "bytes"]
_MEMORY_BYTES: Final = 1_500_000_000
_FIRST_S: Final = ((200, 0.1), (600, 0.3), (math.inf, 1.0))  # up to so many ops: seconds
_LIMITED_FACTOR: Final = 3
"""Under a binding runtime limit a first schedule may take so many times longer."""
_DENSE: Final = frozenset({"onnx:light_densenet121"})
_ENCODER: Final = frozenset({"bert_128"})
_OTHERS: Final = frozenset(REAL_MODELS) - _DENSE - _ENCODER
_QUICKLY_PROVEN: Final = ("resnet18_cifar", "vgg16_cifar", "resnet18")
_FEW_BYTES: Final = 900_000
"""resnet18_cifar below this (0.3 of its forward bytes and less) is not among the quick ones."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One goal on the rows that it is for: who reached it, who missed it and by what."""

    goal: str
    reached: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Goal:
    """`value` of a row in the unit of `limit`; None or more than `limit` is a miss.

    at_s : only rows measured so long count. of_gap : whether the bound has a part in it.
    """

    words: str
    concerns: Callable[[Row, RowResult], bool]
    value: Callable[[RowResult, float], float | None]
    limit: Callable[[Row, RowResult], float]
    unit: _Unit
    at_s: float = 0.0
    of_gap: bool = False


def _text(unit: _Unit, value: float) -> str:
    match unit:
        case "part":
            return f"{100 * value:.2f} %"
        case "seconds":
            return f"{value:.2f} s"
        case "bytes":
            return f"{value / 1e9:.2f} GB"
        case _:
            assert_never(unit)


def _first_limit(row: Row, result: RowResult) -> float:
    limit_s = next(limit_s for most, limit_s in _FIRST_S if result.ops <= most)
    return limit_s * (_LIMITED_FACTOR if row.part == "limited" else 1)


def _is_real(*shares: float, models: Collection[str]) -> Callable[[Row, RowResult], bool]:
    return lambda row, _: row.part == "real" and row.share in shares and row.model in models


def _proven_s(result: RowResult, best_j: float) -> float | None:  # noqa: ARG001 - one shape for all
    return result.runs[0].wall_s if result.runs[0].status == "optimal" else None


def _gap_at(t_s: float) -> Callable[[RowResult, float], float | None]:
    return lambda result, _: moment(result, t_s).gap


def _total_gap_at(t_s: float) -> Callable[[RowResult, float], float | None]:
    return lambda result, _: moment(result, t_s).total_gap


def _excess_at(t_s: float) -> Callable[[RowResult, float], float | None]:
    return lambda result, best_j: excess(moment(result, t_s).energy_j, best_j, result.baseline_j)


def _reference(row: Row, _: RowResult) -> bool:
    return row.part == "reference"


def _quickly_proven(row: Row, result: RowResult) -> bool:
    return (
        row.part == "reference"
        and row.model in _QUICKLY_PROVEN
        and (row.model != "resnet18_cifar" or result.ram_bytes > _FEW_BYTES)
    )


def _gap_goal(
    words: str, concerns: Callable[[Row, RowResult], bool], t_s: float, most: float
) -> _Goal:
    """At most this gap of the overhead at t_s."""
    return _Goal(words, concerns, _gap_at(t_s), lambda *_: most, "part", t_s, of_gap=True)


def _total_goal(
    words: str, concerns: Callable[[Row, RowResult], bool], t_s: float, most: float
) -> _Goal:
    """At most this gap of the total energy at t_s."""
    return _Goal(words, concerns, _total_gap_at(t_s), lambda *_: most, "part", t_s, of_gap=True)


_GOALS: Final = (
    _Goal("first schedule in 0.1 s up to 200 ops, 0.3 s up to 600, else 1 s (limited: x3)",
          lambda *_: True, lambda result, _: first_answer_s(result), _first_limit, "seconds"),
    _Goal("reference: within 1 % of the best known overhead at 1 s", _reference,
          _excess_at(1.0), lambda *_: 0.01, "part", 1.0),
    _gap_goal("reference: proven within 1 % of the overhead at 60 s", _reference, 60.0, 0.01),
    _Goal("reference: resnet18_cifar 0.5 and 0.4, vgg16_cifar, resnet18 proven in 3 s",
          _quickly_proven, _proven_s, lambda *_: 3.0, "seconds", of_gap=True),
    _gap_goal("real, 0.7 and 0.5: proven within 2 % of the overhead at 10 s",
              _is_real(0.7, 0.5, models=_OTHERS), 10.0, 0.02),
    _gap_goal("encoder, 0.7 and 0.5: the same at 2 s",
              _is_real(0.7, 0.5, models=_ENCODER), 2.0, 0.02),
    _total_goal("DenseNet-121, 0.7 and 0.5: within 0.1 % of the total at 10 s",
                _is_real(0.7, 0.5, models=_DENSE), 10.0, 0.001),
    _gap_goal("real, 0.35: within 5 % of the overhead at 60 s",
              _is_real(0.35, models={*_OTHERS, *_ENCODER}), 60.0, 0.05),
    _total_goal("DenseNet-121, 0.35: within 0.3 % of the total at 60 s",
                _is_real(0.35, models=_DENSE), 60.0, 0.003),
    _Goal("memory of the solve process below 1.5 GB", lambda *_: True,
          lambda result, _: result.memory_bytes, lambda *_: _MEMORY_BYTES, "bytes"),
)  # fmt: skip


def verdicts(
    rows: Sequence[Row], document: Document, best_j: Mapping[str, float]
) -> tuple[Verdict, ...]:
    """Every goal that a solved row is concerned by, with the rows that reached and missed it.

    A goal at a time counts only rows that were measured so long.
    """
    by_name = {row.name: row for row in rows}
    pairs = [
        (by_name[result.name], result)
        for result in document.rows
        if result.runs and result.name in by_name
    ]
    found = [_verdict(goal, pairs, best_j) for goal in _GOALS]
    return tuple(verdict for verdict in found if verdict.reached or verdict.missed)


def _verdict(
    goal: _Goal, pairs: Sequence[tuple[Row, RowResult]], best_j: Mapping[str, float]
) -> Verdict:
    reached, missed = [], []
    for row, result in pairs:
        measured = any(lasted(run, goal.at_s) for run in result.runs)
        if not measured or not goal.concerns(row, result):
            continue
        best = best_j.get(row.name, math.inf)
        value = goal.value(result, best)
        if value is not None and value <= goal.limit(row, result):
            reached.append(row.name)
            continue
        text = "none" if value is None else _text(goal.unit, value)
        missed.append(f"{row.name} ({text}, {_cause(goal, result, best)})")
    return Verdict(goal.words, tuple(reached), tuple(missed))


def _cause(goal: _Goal, result: RowResult, best_j: float) -> str:
    """What a miss is due to: its schedule, its bound, or the time or memory that it took."""
    if not goal.of_gap:
        return {"part": "schedule", "seconds": "time", "bytes": "size"}[goal.unit]
    words = {"primal": "schedule", "dual": "bound", "both": "both sides", "-": "closed later"}
    return words[open_side(result, best_j)]
