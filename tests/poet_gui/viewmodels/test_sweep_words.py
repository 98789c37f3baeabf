"""The progress of a sweep in words."""

from dataclasses import replace

from poet_gui.solving.sweep_status import SweepPhase, SweepPlan, SweepStatus, switches_of
from poet_gui.viewmodels.solve_words import Tone
from poet_gui.viewmodels.sweep_words import sweep_words
from solver.problem import Budgets, Switches

RUNNING = SweepStatus(
    SweepPhase.RUNNING, SweepPlan("ram", 8), 3, "joint", Budgets(192 * 1024), 0.25
)


def test_that_a_running_sweep_says_how_far_it_is_and_what_it_solves() -> None:
    words = sweep_words(RUNNING)
    assert words.text == "3 of at most 8 · 192 KiB · 25.0 % of the axis open"
    assert (words.done, words.total) == (3, 8)


def test_that_the_strategy_is_named_when_there_are_several() -> None:
    plan = SweepPlan("ram", 8, ("joint", "sqrt-n"))
    words = sweep_words(replace(RUNNING, plan=plan, strategy="sqrt-n", open_share=None))
    assert words.text == "3 of at most 16 · 192 KiB · √n"


def test_that_the_runtime_limit_is_named() -> None:
    words = sweep_words(replace(RUNNING, budgets=Budgets(192 * 1024, 7.6), open_share=None))
    assert words.text == "3 of at most 8 · 192 KiB · ≤ 7.60 s"


def test_that_an_end_says_what_was_kept() -> None:
    stopped = replace(RUNNING, phase=SweepPhase.CANCELLED, why="what was found is kept")
    assert sweep_words(stopped).text == "Sweep stopped: 3 solved, what was found is kept"
    assert sweep_words(stopped).tone is Tone.WARNING
    assert sweep_words(replace(RUNNING, phase=SweepPhase.DONE)).text == "Sweep ended: 3 solved"
    assert sweep_words(SweepStatus()).text == ""


def test_that_each_strategy_forces_its_switches_and_leaves_the_others() -> None:
    assert switches_of("joint", Switches(paging=False)) == Switches(paging=False)
    assert switches_of("remat-only", Switches()) == Switches(paging=False)
    assert switches_of("paging-only", Switches()) == Switches(recompute=False)
    assert switches_of("sqrt-n", Switches()) == Switches(paging=False)
