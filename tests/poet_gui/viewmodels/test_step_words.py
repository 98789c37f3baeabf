"""The steps of a solve in plain words."""

from poet_gui.solving.status import Phase, SolveStatus, Step
from poet_gui.viewmodels.solver_facts import solver_facts
from poet_gui.viewmodels.step_words import step_words


def test_that_a_step_within_blocks_says_both() -> None:
    assert step_words("blocks, greedy") == f"block by block: {step_words('greedy')}"


def test_that_a_step_of_a_strategy_from_elsewhere_keeps_its_name() -> None:
    assert step_words("annealing") == "annealing"


def test_that_the_facts_say_what_is_done_now_and_the_tooltip_when_each_step_began() -> None:
    steps = (Step(0.0, "checking"), Step(0.25, "greedy"))
    busy = solver_facts(SolveStatus(Phase.SOLVING, steps=steps))[-1]
    assert busy[:2] == ("doing now", step_words("greedy"))
    assert busy[2].splitlines()[1] == f"250 ms: {step_words('greedy')} (greedy)"
    assert solver_facts(SolveStatus(Phase.READY, steps=steps))[-1][0] == "did last"
