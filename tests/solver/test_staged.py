"""Claim: the staged problem is the problem, indexed by producer, with the switches applied."""

from dataclasses import replace

import pytest

from solver.device import IoMode
from solver.graph import Op, Phase, Tensor, TrainingGraph
from solver.problem import Problem
from solver.staged import bits, mask_of, stage
from tests.helpers.builders import Line, chain, device_of, graph_of, problem_of


def test_that_masks_and_positions_are_the_same_thing() -> None:
    assert mask_of([0, 3, 70]) == 1 | 1 << 3 | 1 << 70
    assert list(bits(mask_of([70, 0, 3]))) == [0, 3, 70]
    assert list(bits(0)) == []


def two_outputs() -> Problem:
    """Tensors are listed in another order than their producers: b, right, a, left."""
    ops = (
        Op("a", "test", Phase.FORWARD, (), ("a",), 1e6),
        Op("split", "test", Phase.FORWARD, ("a",), ("left", "right"), 1e6, workspace_bytes=7),
        Op("b", "test", Phase.BACKWARD, ("right", "left"), ("b",), 2e6),
    )
    sizes = {"b": 1, "right": 20, "a": 300, "left": 4000}
    makers = {"b": "b", "right": "split", "a": "a", "left": "split"}
    tensors = tuple(Tensor(name, size, makers[name]) for name, size in sizes.items())
    return problem_of(TrainingGraph("test", ops, tensors, fixed_bytes=10), 5000)


def test_that_tensors_are_numbered_by_producer() -> None:
    staged = stage(two_outputs())

    assert staged.original == (2, 3, 1, 0)  # a, left, right, b
    assert staged.size == (300, 4000, 20, 1)
    assert staged.producer == (0, 1, 1, 2)
    assert staged.readers == ((1,), (2,), (2,), ())
    assert staged.reads == ((), (0,), (1, 2))
    assert staged.makes == ((0,), (1, 2), (3,))
    assert staged.op_in == (0, 0b1, 0b110)
    assert staged.op_out == (0b1, 0b110, 0b1000)
    assert staged.first_backward == 2
    assert (staged.stages, staged.tensors) == (3, 4)


def test_that_room_is_what_the_fixed_bytes_leave() -> None:
    staged = stage(two_outputs())

    assert staged.room == 4990
    assert staged.need(1) == 300 + 4000 + 20 + 7
    assert staged.mass(0b1011) == 300 + 4000 + 1


def test_that_backward_and_fixed_ops_never_run_again() -> None:
    lines = [
        Line("f1", "f", 1, 1e6),
        Line("f2", "f", 1, 1e6, ("f1",), recomputable=False),
        Line("b1", "b", 1, 1e6, ("f2",)),
    ]
    graph = graph_of(lines)

    assert stage(problem_of(graph, 10)).may_rerun == (True, False, False)
    assert stage(problem_of(graph, 10, recompute=False)).may_rerun == (False, False, False)


def test_that_only_pageable_tensors_are_in_storage_at_the_start() -> None:
    lines = [
        Line("x", "f", 1, 0.0, stored=True),
        Line("y", "f", 1, 0.0, stored=True, pageable=False),
        Line("b", "b", 1, 1e6, ("x", "y")),
    ]
    graph = graph_of(lines)

    with_paging, without = stage(problem_of(graph, 10)), stage(problem_of(graph, 10, paging=False))

    assert with_paging.may_page == (True, False, True)
    assert with_paging.stored == 0b001
    assert without.may_page == (False, False, False)
    assert without.stored == 0


def test_that_ignored_transfers_cost_energy_and_no_time() -> None:
    device = device_of(joule_per_byte_in=1e-3, joule_per_byte_out=2e-3)
    blocking = stage(problem_of(chain(3), 10**6, device=device))
    ignored = stage(problem_of(chain(3), 10**6, device=device, io=IoMode.IGNORED))

    assert (blocking.in_s[0], blocking.out_s[0]) == pytest.approx((1.0, 2.0))  # 1000 B at 1 W
    assert (ignored.in_s[0], ignored.out_s[0]) == (0.0, 0.0)
    assert ignored.in_j == blocking.in_j
    assert ignored.in_j[0] == pytest.approx(1.0)


def test_that_the_time_left_is_what_the_ops_do_not_take() -> None:
    # chain(3): 3 + 1e-6 + 6 s
    problem = problem_of(chain(3), 10**6, runtime_s=10.0)

    assert stage(problem).limit_s == pytest.approx(1.0 - 1e-6, abs=1e-7)
    assert stage(replace(problem, budgets=replace(problem.budgets, runtime_s=None))).limit_s is None
    late = problem_of(chain(3), 10**6, runtime_s=problem.costed.baseline_runtime_s)
    assert 0 <= (stage(late).limit_s or 0.0) < 1e-7


def test_that_a_tensor_is_folded_into_the_only_op_that_reads_it() -> None:
    # v (1000) is read by w (1000) only; x (900) is smaller than its reader y; w is read twice.
    lines = [
        Line("v", "f", 1000, 1e6),
        Line("w", "f", 1000, 1e6, ("v",)),
        Line("x", "f", 900, 1e6, ("w",)),
        Line("y", "f", 1000, 1e6, ("x",)),
        Line("b", "b", 10, 1e6, ("y", "w")),
    ]
    graph = graph_of(lines)

    assert stage(problem_of(graph, 10**6)).folded == 0b00001
    assert stage(problem_of(graph, 10**6, recompute=False)).folded == 0


def test_that_nothing_is_folded_into_what_cannot_be_paged_in_its_place() -> None:
    def folded(*, target: bool, tensor: bool) -> int:
        lines = [
            Line("v", "f", 1000, 1e6, pageable=tensor),
            Line("w", "f", 1000, 1e6, ("v",), pageable=target),
            Line("b", "b", 10, 1e6, ("w",)),
        ]
        return stage(problem_of(graph_of(lines), 10**6)).folded

    assert folded(target=True, tensor=True) == 1
    assert folded(target=False, tensor=True) == 0
    assert folded(target=False, tensor=False) == 1


def test_that_transfers_have_a_lane_of_their_own_only_where_a_limit_and_overlap_meet() -> None:
    graph = chain(3)
    blocking = stage(problem_of(graph, 10**6, runtime_s=10.0))
    free = stage(problem_of(graph, 10**6, io=IoMode.OVERLAPPED))
    limited = stage(problem_of(graph, 10**6, runtime_s=10.0, io=IoMode.OVERLAPPED))

    assert blocking.transfer_limit_s is None
    assert free.transfer_limit_s is None
    # f1 is made in the first second and read last by b1, which takes the last two: 7 of 10 s.
    assert limited.transfer_limit_s == pytest.approx(7.0, abs=1e-6)
    assert limited.limit_s == blocking.limit_s


def test_that_a_tensor_in_storage_may_move_from_the_start() -> None:
    lines = [
        Line("x", "f", 10, 1e6, stored=True),
        Line("a", "f", 10, 1e6, ("x",)),
        Line("b", "b", 10, 1e6, ("a", "x")),
    ]
    staged = stage(problem_of(graph_of(lines), 100, runtime_s=5.0, io=IoMode.OVERLAPPED))

    assert staged.transfer_limit_s == pytest.approx(4.0, abs=1e-6)  # all but b


def test_that_without_pageable_tensors_nothing_is_left_for_transfers() -> None:
    problem = problem_of(chain(3), 10**6, runtime_s=10.0, paging=False, io=IoMode.OVERLAPPED)

    assert stage(problem).transfer_limit_s == 0.0
