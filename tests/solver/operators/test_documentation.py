"""The table of operators in README.md says what the rules say, and nothing else."""

from pathlib import Path

import pytest

from solver.operators.arithmetic import Mul
from solver.operators.base import Gradient, Rule, Site
from solver.operators.documentation import BEGIN, END, fault, operator_table, with_table
from solver.operators.logic import Truth
from solver.operators.movement import View
from solver.operators.registry import RULES

README = Path(__file__).parents[3] / "README.md"


class Doubling(Rule):
    """An operator of these tests."""

    def flop(self, site: Site) -> int:
        """Two per element: a product
        and a sum.

        More is not told.
        """
        return 2 * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the input: three per element."""
        return Gradient(3 * site.output().elements)


class Silent(Doubling):
    """It does not say first what it keeps."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Three per element."""
        return Gradient(0)


def lines(**rules: Rule) -> list[str]:
    return operator_table(rules).splitlines()[2:]


def test_that_costs_and_what_is_kept_are_the_first_sentences_of_a_rule() -> None:
    assert lines(Doubling=Doubling()) == [
        "| Doubling | two per element: a product and a sum |  | three per element | the input |"
    ]


def test_that_figures_per_element_come_from_the_table_of_flop() -> None:
    # Mish costs 5 forward and 14 back; Mul trains a scale along the channels.
    assert lines(Mish=RULES["Mish"], Mul=Mul()) == [
        "| Mish | 5 per element of the output |  | 14 per element | the input |",
        "| Mul | 1 per element of the output | scale | 1 per element | the other factor |",
    ]


def test_that_forms_of_an_operator_with_costs_of_their_own_are_told_apart() -> None:
    assert lines(Gelu=RULES["Gelu"]) == [
        "| Gelu | 5 per element of the output |  | 11 per element | the input |",
        "| Gelu, tanh | 9 per element of the output |  | 18 per element | the input |",
    ]


def test_that_operators_that_are_told_alike_share_a_line() -> None:
    assert lines(Xor=Truth(), And=Truth(), Flatten=View()) == [
        "| And; Xor | 1 per element of the output |  | none |  |",
        "| Flatten | 0: a view |  | none |  |",
    ]


def test_that_a_rule_that_does_not_say_what_it_keeps_is_told() -> None:
    assert fault(Doubling()) is None
    assert fault(Silent()) == "gradient says 'Three per element', not first what it reads"
    assert fault(Rule()) == "flop says nothing of the cost"


@pytest.mark.parametrize("op_type", sorted(RULES))
def test_that_every_rule_says_what_it_costs_and_keeps(op_type: str) -> None:
    assert fault(RULES[op_type]) is None


def test_that_every_operator_has_a_line_that_tells_both_costs() -> None:
    told: set[str] = set()
    for line in lines(**RULES):
        names, forward, _, gradient, _ = (cell.strip() for cell in line[1:-1].split(" | "))
        assert forward, line
        assert gradient, line
        told.update(names.split("; "))
    assert set(RULES) <= told


def test_that_the_table_replaces_what_stands_between_the_markers() -> None:
    text = with_table(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert text == f"before\n{BEGIN}\n{operator_table()}\n{END}\nafter\n"
    with pytest.raises(ValueError, match="are missing"):
        with_table("nothing")


def test_that_the_readme_is_in_step_with_the_rules() -> None:
    """After a change: `python -m solver.operators.documentation README.md`."""
    text = README.read_text(encoding="utf-8")
    assert with_table(text) == text
