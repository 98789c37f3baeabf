"""What is said of a run: verdict first, then what differs, then the times."""

from dataclasses import replace

from poet_gui.viewmodels.run_words import (
    progress_words,
    refusal_sections,
    run_sections,
    why_not_run,
)
from solver.costs import price
from solver.errors import Issue
from tests.helpers.builders import chain
from tests.helpers.scripted_run import report_of
from tests.helpers.traced import keep_all, traced_costed


def facts(section: object) -> dict[str, str]:
    return {name: value for name, value, _ in section.facts}  # type: ignore[attr-defined]


def test_that_only_traced_models_can_be_run() -> None:
    costed = traced_costed()
    assert why_not_run(costed) == ""
    assert "poet trace" in why_not_run(price(chain(3), costed.device))
    assert "Open a traced" in why_not_run(None)


def test_that_a_run_that_kept_its_promises_is_said_to() -> None:
    verdict, times = run_sections(report_of(keep_all(traced_costed()), differs=False), "Board")
    assert verdict.title == "Everything happened as promised"
    assert not verdict.is_warning
    shown = facts(verdict)
    assert shown["Gradients"] == "8 of 8 bit-equal to plain order"
    assert shown["Eager mode"].startswith("off by at most 2.5e-07")
    assert shown["Peak"].endswith("as promised")
    assert facts(times) == {"Computed": "28 in 1.50 s, predicted 1.00 s"}
    assert times.sentences == ("Measured on this machine, predicted for Board.",)


def test_that_no_difference_to_eager_mode_is_called_equal() -> None:
    report = replace(report_of(keep_all(traced_costed()), differs=False), eager_error=0.0)
    assert facts(run_sections(report, "Board")[0])["Eager mode"] == "equal"


def test_that_eager_mode_that_cannot_be_compared_is_no_promise_kept() -> None:
    report = replace(report_of(keep_all(traced_costed()), differs=False), eager_error=None)
    verdict = run_sections(report, "Board")[0]
    assert verdict.is_warning
    assert "gradients of other parameters" in facts(verdict)["Eager mode"]


def test_that_a_network_that_is_not_the_same_twice_is_called_so() -> None:
    kept = report_of(keep_all(traced_costed()), differs=False)
    assert run_sections(kept, "Board")[0].sentences == ()
    verdict = run_sections(replace(kept, eager_error=0.5, unsteady=True), "Board")[0]
    assert verdict.is_warning
    assert "two different gradients" in verdict.sentences[0]


def test_that_what_differs_is_named() -> None:
    report = report_of(keep_all(traced_costed()), differs=True)
    verdict, fault, gradients, _ = run_sections(report, "Board")
    assert verdict.is_warning
    assert facts(verdict)["Gradients"] == "7 of 8 bit-equal to plain order"
    assert "promised" in facts(verdict)["Peak"]
    assert "Eager mode" not in facts(verdict)
    assert fault.sentences == (report.fault,)
    assert gradients.sentences == ("1 of 8: head.bias",)


def test_that_many_different_gradients_are_counted() -> None:
    report = report_of(keep_all(traced_costed()), differs=True)
    many = replace(report, different=tuple("abcdefg"))
    assert run_sections(many, "Board")[2].sentences == ("7 of 8: a, b, c, d, e and 2 more",)


def test_that_a_refusal_says_why_and_keeps_the_end_of_the_details() -> None:
    lines = "\n".join(str(number) for number in range(20))
    why, details = refusal_sections((Issue("is gone", "net.py", "trace it again"),), lines)
    assert "net.py: is gone" in why.sentences[0]
    assert details.sentences == tuple(str(number) for number in range(8, 20))


def test_that_progress_is_counted() -> None:
    assert progress_words(12, 1097) == "Action 12 of 1,097"
    assert "plain order" in progress_words(0, 1097)
