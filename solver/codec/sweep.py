"""Sweeps -> poet.sweep documents."""

import math
from collections.abc import Iterable, Sequence

from msgspec import structs

from solver.codec.documents import GraphDocument
from solver.codec.graph import device_object
from solver.codec.result import Origin, model_object, result_document, settings_object
from solver.codec.sweep_documents import PointDocument, SweepDocument, point_of
from solver.outcome import Outcome
from solver.problem import Problem, SolveOptions
from solver.sweep import Axis


def point_document(
    problem: Problem,
    outcome: Outcome,
    options: SolveOptions,
    origin: Origin,
    *,
    graph: GraphDocument | None = None,
) -> PointDocument:
    """One point; `graph` is the poet.graph that a full sweep repeats in each, None: not full."""
    result = result_document(problem, outcome, options, origin, slim=True)
    if graph is not None:
        result = structs.replace(result, problem=graph)
    return point_of(result, full=graph is not None)


def sweep_document(
    axis: Axis,
    points: Iterable[PointDocument],
    problem: Problem,
    options: SolveOptions,
    origin: Origin,
    *,
    strategies: Sequence[str],
) -> SweepDocument:
    """The poet.sweep of some points, which it puts in order of RAM, runtime limit and strategy.

    `problem` and `options` are those of the first of `strategies`.
    """
    rank = {name: place for place, name in enumerate(strategies)}

    def order(point: PointDocument) -> tuple[int, float, int]:
        limit = point.budget.runtime_s
        place = rank.get(point.settings.strategy, len(rank))
        return point.budget.ram_bytes, math.inf if limit is None else limit, place

    costed = problem.costed
    return SweepDocument(
        format="poet.sweep",
        version=1,
        axis=axis,
        model=model_object(costed.graph, origin),
        device=device_object(costed.device),
        settings=settings_object(problem, options),
        floor_bytes=int(costed.floor_bytes),
        plain_peak_bytes=int(costed.plain_peak_bytes),
        points=sorted(points, key=order),
    )
