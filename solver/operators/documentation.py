"""The table of operators in README.md: `python -m solver.operators.documentation README.md`.

It is made from the rules: figures per element come from the table of FLOP, the rest from the first
sentence of the docstrings of `flop` ("2 per ...") and `gradient`, which says what is kept before
anything else: "Read the input: ...". `fault` tells where a rule does not keep to that.
"""

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from solver.operators import flop
from solver.operators.base import Rule
from solver.operators.movement import View
from solver.operators.registry import RULES

BEGIN: Final = "<!-- operators: begin (written by `python -m solver.operators.documentation`) -->"
END: Final = "<!-- operators: end -->"

_READ: Final = "Read "
_HEAD: Final = (
    "| operator | forward, FLOP | trained | gradient ops | kept for them |\n"
    "| --- | --- | --- | --- | --- |"
)


class Row(NamedTuple):
    """What the table says of an operator, in the order of its columns."""

    forward: str
    trained: str
    gradient: str
    kept: str


def _first_sentence(method: object) -> str:
    text = " ".join((inspect.getdoc(method) or "").split("\n\n")[0].split())
    return text.rstrip(".").replace("|", "\\|")  # a bar would end the cell


def _sentences(rule: Rule) -> tuple[str, str]:
    """What the rule says of its forward cost and of its gradients."""
    kind = type(rule)
    joint = type(rule).joint_gradient is not Rule.joint_gradient
    return _first_sentence(kind.flop), _first_sentence(
        kind.joint_gradient if joint else kind.gradient
    )


def _lower(text: str) -> str:
    """Without the capital of a sentence's first word; an abbreviation keeps it."""
    first = text.partition(" ")[0]
    return text if len(first) > 1 and first.isupper() else text[:1].lower() + text[1:]


def has_gradient(rule: Rule) -> bool:
    """Whether any gradient passes through the operator."""
    kind = type(rule)
    return kind.gradient is not Rule.gradient or kind.joint_gradient is not Rule.joint_gradient


def fault(rule: Rule) -> str | None:
    """What keeps the rule from being told in the table, None when nothing does."""
    if isinstance(rule, View):
        return None
    forward, gradient = _sentences(rule)
    if type(rule).flop is Rule.flop or not forward:
        return "flop says nothing of the cost"
    if has_gradient(rule) and not gradient.startswith(_READ):
        return f"gradient says {gradient!r}, not first what it reads"
    return None


def _split(gradient: str) -> tuple[str, str]:
    """What is read, and what else the sentence says."""
    text = gradient.removeprefix(_READ)
    ends = [place for mark in ":;" if (place := text.find(mark)) >= 0]
    if not ends:
        return text, ""
    return text[: min(ends)], text[min(ends) + 1 :].strip()


def _costs(op_type: str) -> Mapping[str, flop.Cost | None]:
    """The table's entries for an operator: by its own name, and by its forms ("Gelu, tanh")."""
    name = op_type.rpartition("::")[2]
    own = flop.ELEMENTWISE.get(op_type) or flop.ELEMENTWISE.get(name) or flop.REDUCE.get(name)
    forms = [key for key in flop.ELEMENTWISE if key.startswith(f"{name}, ")]
    return {op_type: own} | {key.replace(name, op_type): flop.ELEMENTWISE[key] for key in forms}


def row(op_type: str, rule: Rule, cost: flop.Cost | None) -> Row:
    """The columns for one operator; `cost` is per element, None where that is not told."""
    if isinstance(rule, View):
        return Row("0: a view", "", "none", "")
    forward, gradient = _sentences(rule)
    if cost is not None:
        of = "input" if op_type in flop.REDUCE else "output"
        forward = f"{cost.forward} per element of the {of}"
    trained = ", ".join(dict.fromkeys(rule.parameters.values()))
    if not has_gradient(rule):
        return Row(_lower(forward), trained, "none", "")
    kept, more = _split(gradient)
    if cost is not None:
        more = f"{cost.gradient} per element" + (f"; {more}" if more else "")
    return Row(_lower(forward), trained, _lower(more), kept)


def operator_table(rules: Mapping[str, Rule] = RULES) -> str:
    """The table as Markdown: operators that are told alike share a line, sorted by name."""
    lines: dict[Row, list[str]] = {}
    for op_type, rule in sorted(rules.items()):
        for name, cost in _costs(op_type).items():
            lines.setdefault(row(op_type, rule, cost), []).append(name)
    return "\n".join(
        [_HEAD, *(f"| {'; '.join(names)} | {' | '.join(told)} |" for told, names in lines.items())]
    )


def with_table(text: str) -> str:
    """`text` with the table between its markers. Raises ValueError where they are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the markers {BEGIN} and {END} are missing")
    return f"{before}{BEGIN}\n{operator_table()}\n{END}{after}"


def main() -> None:
    """Write the table into the file that is named."""
    path = Path(sys.argv[1])
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
