"""Claim: a fingerprint changes with all that a schedule's cost or validity depends on."""

from dataclasses import replace

import pytest

from solver.costs import price
from solver.device import IoMode
from solver.graph import Op, Tensor, TrainingGraph
from solver.problem import Problem, fingerprint
from tests.helpers.builders import chain, device_of, problem_of

GRAPH = chain(3)
BASE = fingerprint(problem_of(GRAPH, 1000))


def with_op(position: int, **changes: object) -> TrainingGraph:
    ops = list(GRAPH.ops)
    ops[position] = replace(ops[position], **changes)  # type: ignore[arg-type] # names of fields
    return replace(GRAPH, ops=tuple(ops))


def with_tensor(position: int, **changes: object) -> TrainingGraph:
    tensors = list(GRAPH.tensors)
    tensors[position] = replace(tensors[position], **changes)  # type: ignore[arg-type] # names of fields
    return replace(GRAPH, tensors=tuple(tensors))


def renamed() -> TrainingGraph:
    def new(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"other {name}" for name in names)

    ops: list[Op] = [
        replace(op, name=f"other {op.name}", inputs=new(op.inputs), outputs=new(op.outputs))
        for op in GRAPH.ops
    ]
    tensors: list[Tensor] = [
        replace(tensor, name=f"other {tensor.name}", producer=f"other {tensor.producer}")
        for tensor in GRAPH.tensors
    ]
    return replace(GRAPH, name="other", ops=tuple(ops), tensors=tuple(tensors))


def test_that_budgets_and_names_change_nothing() -> None:
    assert fingerprint(problem_of(GRAPH, 5, runtime_s=1.0)) == BASE
    assert fingerprint(problem_of(renamed(), 1000)) == BASE
    assert fingerprint(problem_of(chain(3), 1000)) == BASE


@pytest.mark.parametrize(
    "graph",
    [
        with_op(0, recomputable=False),
        with_op(0, workspace_bytes=1),
        with_op(1, flop=1.5),
        with_op(1, inputs=()),
        with_tensor(0, bytes=1001),
        with_tensor(0, pageable=False),
        with_tensor(0, in_storage_at_start=True),
        replace(GRAPH, fixed_bytes=1),
        chain(4),
    ],
)
def test_that_a_change_of_the_graph_changes_it(graph: TrainingGraph) -> None:
    assert fingerprint(problem_of(graph, 1000)) != BASE


@pytest.mark.parametrize(
    "problem",
    [
        problem_of(GRAPH, 1000, paging=False),
        problem_of(GRAPH, 1000, recompute=False),
        problem_of(GRAPH, 1000, io=IoMode.IGNORED),
        problem_of(price(GRAPH, device_of(joule_per_byte_in=2e-5)), 1000),
        problem_of(price(GRAPH, device_of(joule_per_byte_out=2e-5)), 1000),
        problem_of(price(GRAPH, device_of(joule_per_flop=2e-6)), 1000),
    ],
)
def test_that_a_change_of_switches_or_prices_changes_it(problem: Problem) -> None:
    assert fingerprint(problem) != BASE


def test_that_transfers_last_nothing_when_they_are_ignored() -> None:
    # 1000 B at 1e5 B/s: 10 ms.
    assert problem_of(GRAPH, 1).transfer_durations_s()[0][0] == pytest.approx(0.01)
    assert problem_of(GRAPH, 1, io=IoMode.IGNORED).transfer_durations_s()[0][0] == 0.0
