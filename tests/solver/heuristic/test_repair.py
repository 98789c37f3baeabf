"""Claim: a plan is made to fit by what costs least per byte of excess."""

from random import Random

from solver.heuristic.plan import Plan, keep_everything
from solver.heuristic.repair import Noise, repair
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.problem import Problem
from solver.staged import stage
from tests.helpers.builders import Line, chain, device_of, graph_of, problem_of


def everything_held(problem: Problem) -> Plan:
    staged = stage(problem)
    return keep_everything(StagePlanner(staged, prices(staged)))


def dear_and_cheap(ram_bytes: int) -> Problem:
    # Both wait for the backward part: "dear" (1000 B) costs 9 J to make again, "cheap" 1 J.
    lines = [
        Line("dear", "f", 1000, 9e6),
        Line("cheap", "f", 1000, 1e6),
        Line("end", "f", 1000, 1e6, ("dear", "cheap")),
        Line("b2", "b", 10, 1e6, ("end",)),
        Line("b1", "b", 10, 1e6, ("b2", "cheap", "dear")),
    ]
    return problem_of(graph_of(lines), ram_bytes, device=device_of(joule_per_byte_in=1.0))


def test_that_the_cheaper_of_two_tensors_of_one_size_is_dropped() -> None:
    # At b2: dear + cheap + end + b2 = 3010 B; one of the two must go.
    plan = everything_held(dear_and_cheap(3000))

    assert repair(plan)

    assert plan.fits
    assert plan.cost == 1.0
    assert plan.stages[4].runs == (1, 4)


def test_that_a_kept_tensor_stays() -> None:
    plan = everything_held(dear_and_cheap(3000))

    assert repair(plan, noise=Noise(Random(0), 0.0, keep=frozenset({1})))

    assert plan.cost == 9.0


def test_that_a_plan_that_no_drop_can_mend_is_given_up() -> None:
    plan = everything_held(dear_and_cheap(2999))  # end's own inputs and output: 3000 B

    assert not repair(plan)


def test_that_a_large_batch_makes_no_more_changes_than_needed() -> None:
    # chain(6): seven tensors of 1000 B around b5, the loss of 4 B dead; 4500 B hold four of them.
    single, batched = (everything_held(problem_of(chain(6), 4500)) for _ in range(2))

    assert repair(single, batch=1)
    assert repair(batched, batch=64)

    assert single.fits
    assert batched.fits
    assert batched.cost == single.cost


def test_that_noise_is_the_same_for_the_same_seed() -> None:
    def noisy(seed: int) -> Plan:
        plan = everything_held(problem_of(chain(12), 5000))
        assert repair(plan, noise=Noise(Random(seed), 10.0, most=2))
        return plan

    assert noisy(7).held == noisy(7).held
    assert len({tuple(noisy(seed).held) for seed in range(8)}) > 1
