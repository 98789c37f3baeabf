"""Claim: what changes in a problem changes its least energy the way it must."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.costs import price
from solver.device import Device, Transfer
from solver.graph import TrainingGraph
from solver.outcome import Optimal
from solver.problem import Budgets, Problem, Switches
from tests.helpers.random_problems import problems
from tests.helpers.solving import exact_energy_j, run

FEW = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
MANY = settings(FEW, max_examples=60)
ROUNDING = 1e-6
PROBLEMS = problems(most_forward=5, most_backward=4)


def cost(problem: Problem) -> float:
    """Least energy, infinite where no schedule exists."""
    energy_j = exact_energy_j(problem)
    return float("inf") if energy_j is None else energy_j


def with_budgets(problem: Problem, budgets: Budgets) -> Problem:
    return replace(problem, budgets=budgets)


def with_switches(problem: Problem, switches: Switches) -> Problem:
    return replace(problem, switches=switches)


def assert_looser_is_cheaper(problem: Problem) -> None:
    """More RAM, more time, or a means switched on never costs more."""
    here = cost(problem)
    ram, runtime_s = problem.budgets.ram_bytes, problem.budgets.runtime_s
    assert cost(with_budgets(problem, Budgets(ram + 1024, runtime_s))) <= here * (1 + ROUNDING)
    longer = None if runtime_s is None else 1.3 * runtime_s
    assert cost(with_budgets(problem, Budgets(ram, longer))) <= here * (1 + ROUNDING)
    for means in ("paging", "recompute"):
        without = replace(problem.switches, **{means: False})
        assert cost(with_switches(problem, without)) >= here * (1 - ROUNDING)


@FEW
@given(PROBLEMS)
def test_that_looser_problems_never_cost_more(problem: Problem) -> None:
    assert_looser_is_cheaper(problem)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@MANY
@given(PROBLEMS)
def test_that_looser_problems_never_cost_more_in_many_cases(problem: Problem) -> None:
    assert_looser_is_cheaper(problem)


def scaled_device(device: Device, *, size: int, power: float) -> Device:
    """Transfers that move `size` times as much in the same time, and energies times `power`."""

    def transfer(one: Transfer) -> Transfer:
        return Transfer(one.latency_s, one.bytes_per_s * size, one.power_w * power)

    return replace(
        device,
        flop_per_j=device.flop_per_j / power,
        page_in=transfer(device.page_in),
        page_out=transfer(device.page_out),
    )


def scaled_graph(graph: TrainingGraph, size: int) -> TrainingGraph:
    return replace(
        graph,
        ops=tuple(replace(op, workspace_bytes=size * op.workspace_bytes) for op in graph.ops),
        tensors=tuple(replace(t, bytes=size * t.bytes) for t in graph.tensors),
        fixed_bytes=size * graph.fixed_bytes,
    )


@FEW
@given(PROBLEMS, st.sampled_from([3, 10**6]), st.sampled_from([1e-6, 7.0, 1e6]))
def test_that_the_answer_scales_with_bytes_and_joules(
    problem: Problem, size: int, power: float
) -> None:
    graph, device = problem.costed.graph, problem.costed.device
    costed = price(scaled_graph(graph, size), scaled_device(device, size=size, power=power))
    budgets = Budgets(size * problem.budgets.ram_bytes, problem.budgets.runtime_s)

    scaled = cost(Problem(costed, budgets, problem.switches))

    assert scaled == pytest.approx(power * cost(problem), rel=ROUNDING)


@FEW
@given(PROBLEMS, st.randoms(use_true_random=False))
def test_that_names_and_the_order_of_the_tensor_list_do_not_matter(
    problem: Problem, rng: Random
) -> None:
    graph = problem.costed.graph
    names = [op.name for op in graph.ops] + [t.name for t in graph.tensors]
    distinct = sorted(set(names))
    shuffled = distinct.copy()
    rng.shuffle(shuffled)
    new = dict(zip(distinct, shuffled, strict=True))
    ops = tuple(
        replace(
            op,
            name=new[op.name],
            inputs=tuple(new[i] for i in op.inputs),
            outputs=tuple(new[i] for i in op.outputs),
        )
        for op in graph.ops
    )
    tensors = [replace(t, name=new[t.name], producer=new[t.producer]) for t in graph.tensors]
    rng.shuffle(tensors)
    renamed = TrainingGraph("renamed", ops, tuple(tensors), fixed_bytes=graph.fixed_bytes)
    costed = price(renamed, problem.costed.device)

    assert cost(replace(problem, costed=costed)) == pytest.approx(cost(problem), rel=1e-12)


@FEW
@given(PROBLEMS)
def test_that_an_optimum_is_one_for_every_budget_down_to_its_own_peak(problem: Problem) -> None:
    outcome = run(problem).outcome
    assume(isinstance(outcome, Optimal))
    assert isinstance(outcome, Optimal)
    trace = outcome.trace
    limit = None if problem.budgets.runtime_s is None else trace.runtime_s

    tight = with_budgets(problem, Budgets(trace.peak_bytes, limit))

    assert cost(tight) == pytest.approx(trace.total_energy_j, rel=ROUNDING)
