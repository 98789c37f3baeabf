"""Claim: a stage is supplied by the cheaper of paging and rerunning, as late as can be."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver.heuristic.decided_stage import late_loads, liveness
from solver.heuristic.stage_plan import FRESH, StagePlanner, prices
from solver.problem import Problem
from solver.staged import StagedProblem, mask_of, stage
from tests.helpers.builders import Line, chain, device_of, graph_of, problem_of
from tests.helpers.random_problems import problems


def staged_chain(joule_per_byte_in: float = 1e-5) -> StagedProblem:
    """chain(3): tensors f1 0, f2 1, f3 2, loss 3, b3 4, b2 5, b1 6; a forward run costs 1 J."""
    device = device_of(joule_per_byte_in=joule_per_byte_in)
    return stage(problem_of(chain(3), 10**6, device=device))


def planner(joule_per_byte_in: float = 1e-5) -> StagePlanner:
    staged = staged_chain(joule_per_byte_in)
    return StagePlanner(staged, prices(staged))


B1, B2 = 6, 5  # the stages of b1 and b2
F1, F2, GRADIENT = 1 << 0, 1 << 1, 1 << 5  # masks of f1, f2 and b2's output


def test_that_a_missing_tensor_is_made_again_where_nothing_was_written() -> None:
    planned = planner().plan(B1, GRADIENT, 0, paged=0)

    assert planned is not None
    assert planned.runs == (0, B1)
    assert planned.cost == 1.0
    assert planned.seconds == 1.0
    assert planned.peak == 3000  # f1, b2's output, b1's output; the rerun alone needs less


def test_that_a_cheaper_page_in_is_taken_where_it_was_written() -> None:
    planned = planner().plan(B1, GRADIENT, 0, paged=F1)

    assert planned is not None
    assert planned.runs == (B1,)
    assert planned.paged_in == F1
    assert planned.cost == pytest.approx(1000 * 1e-5)


def test_that_a_dearer_page_in_is_not_taken() -> None:
    planned = planner(joule_per_byte_in=2e-3).plan(B1, GRADIENT, 0, paged=F1)  # 2 J > 1 J

    assert planned is not None
    assert planned.paged_in == 0
    assert planned.cost == 1.0


def test_that_a_rerun_brings_its_missing_inputs_along() -> None:
    # b2 (stage 5) reads f2 and b3; f2 is made from f1, which is made from nothing: two runs, 2 J
    planned = planner().plan(B2, 1 << 4, 0, paged=0)

    assert planned is not None
    assert planned.runs == (0, 1, B2)
    assert planned.cost == 2.0


def test_that_the_chain_behind_a_rerun_counts_in_its_price() -> None:
    # Paging f2 in costs 1.5 J: dearer than its own run (1 J), cheaper than f1 and f2 (2 J).
    planned = planner(joule_per_byte_in=1.5e-3).plan(B2, 1 << 4, 0, paged=F2)

    assert planned is not None
    assert planned.paged_in == F2
    assert planned.cost == 1.5


def test_that_a_stage_without_a_supply_is_not_planned() -> None:
    staged = stage(problem_of(chain(3), 10**6, recompute=False))

    assert StagePlanner(staged, prices(staged)).plan(B1, GRADIENT, 0, paged=0) is None


def test_that_a_second_has_its_price() -> None:
    # 0.01 J and 0.01 s to page in at 100 J/s: 1.01 J; a rerun 1 J and 1 s: 101 J
    staged = staged_chain()
    price = prices(staged, joule_per_second=100.0)

    assert price.page_in[0] == pytest.approx(0.01 + 100 * 0.01)
    assert price.run[0] == 1 + 100 * 1


def test_that_work_is_counted_across_prices() -> None:
    first = planner()
    second = first.at_prices(prices(first.staged, 1.0))
    first.plan(B1, GRADIENT, 0, paged=0)
    second.plan(B1, GRADIENT, 0, paged=0)

    assert first.counter.planned == 2 * FRESH
    assert second.counter is first.counter


@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(problems(most_forward=6, most_backward=5, limited=False), st.randoms(use_true_random=False))
def test_that_a_recalled_stage_is_the_stage_worked_out_afresh(
    problem: Problem, rng: Random
) -> None:
    staged = stage(problem)
    price = prices(staged, 0.5)
    recalling = StagePlanner(staged, price)
    last = staged.stages - 1
    start = end = paged = 0
    for _ in range(120):
        start ^= 1 << rng.randrange(staged.tensors)
        end ^= rng.choice((0, 1 << rng.randrange(staged.tensors)))
        paged ^= rng.choice((0, 1 << rng.randrange(staged.tensors)))
        t = rng.choice((last - 1, last))
        seen = mask_of([i for i in range(staged.tensors) if staged.producer[i] <= t])
        made_before = seen & ~staged.op_out[t]

        recalled = recalling.plan(t, start & made_before, end & seen, paged & made_before)

        fresh = StagePlanner(staged, price)
        assert recalled == fresh.plan(t, start & made_before, end & seen, paged & made_before)


def test_that_a_stage_asked_for_again_is_recalled() -> None:
    first = planner()
    planned = first.plan(B1, GRADIENT, 0, paged=0)
    worked_out = first.counter.planned

    # b2's own input in RAM does not matter to b1, which makes f1 again from nothing
    again = first.plan(B1, GRADIENT | F2, 0, paged=F2)

    assert again is planned
    assert first.counter.planned == worked_out + 1


def test_that_page_ins_come_directly_before_their_first_reader() -> None:
    # f2 (op 1) reads f1, f3 (op 2) reads f2; f3's tensor is wanted by the end only.
    staged = staged_chain()

    loads = late_loads(staged, (1, 2, B1), F1 | F2 | 1 << 2)

    assert loads == [F1, F2, 1 << 2]


def test_that_a_tensor_occupies_ram_from_its_supply_to_its_last_reader() -> None:
    # Stage of b1 with f2 run again from f1, for nobody: f1 is loaded for it and stays for b1.
    staged = staged_chain()

    during, used, start = liveness(staged, (1, B1), [F1, 0], end=0)

    assert during == (F1 | GRADIENT, F1 | GRADIENT)
    assert used == F1 | GRADIENT
    assert start == GRADIENT


def test_that_an_output_replaced_by_a_rerun_is_not_wanted_before_it() -> None:
    lines = [Line("f1", "f", 10, 1e6), Line("b1", "b", 10, 1e6, ("f1",))]
    staged = stage(problem_of(graph_of(lines), 100))

    during, _, start = liveness(staged, (0, 1), [0, 0], end=0)

    assert during == (0, 1)
    assert start == 0


def test_that_what_a_price_depended_on_is_part_of_what_is_recalled() -> None:
    # Paging f2 in costs 1.5 J. It is cheaper than f1 and f2 (2 J), dearer than f2 alone (1 J).
    first = planner(joule_per_byte_in=1.5e-3)
    without_f1 = first.plan(B2, 1 << 4, 0, paged=F2)

    with_f1 = first.plan(B2, 1 << 4 | F1, 0, paged=F2)

    assert without_f1 is not None
    assert with_f1 is not None
    assert (without_f1.runs, without_f1.paged_in) == ((B2,), F2)
    assert (with_f1.runs, with_f1.paged_in) == ((1, B2), 0)


def test_that_a_narrowed_planner_forgets_what_is_barred_and_nothing_else() -> None:
    first = planner()
    of_b1 = first.plan(B1, GRADIENT, 0, paged=F1)  # runs nothing again, or f1
    of_b2 = first.plan(B2, 1 << 4, 0, paged=0)  # runs f1 and f2 again
    assert of_b1 is not None
    assert of_b2 is not None
    assert of_b2.runs == (0, 1, B2)
    may_rerun = (True, False, True, *first.staged.may_rerun[3:])
    before = first.counter.planned

    narrowed = first.narrowed(replace(first.staged, may_rerun=may_rerun))

    assert narrowed.plan(B1, GRADIENT, 0, paged=F1) is of_b1
    assert narrowed.counter.planned == before + 1
    assert narrowed.plan(B2, 1 << 4, 0, paged=0) is None
    again = narrowed.narrowed(first.staged)
    assert again.plan(B2, 1 << 4, 0, paged=0) == of_b2
