"""A process that stores brackets one by one, to be run beside others and to be killed.

Usage: python -m tests.helpers.storing FOLDER FIRST COUNT. The k-th save knows one bound more, that
of RAM 3000 + k bytes; what is on disk for sure is told by a line with its number.
"""

import sys
from pathlib import Path
from typing import Final

from solver.bracket_store import BracketStore
from solver.brackets import Brackets
from solver.problem import Budgets
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of

PROBLEM: Final = problem_of(chain(5), 50_000)
MOST: Final = 1000


def budgets_of(number: int) -> Budgets:
    return Budgets(3000 + number)


def bound_j(number: int) -> float:
    """Falls with RAM, so that no bound implies another."""
    return 15.05 - 0.00001 * number


def main() -> None:
    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    store = BracketStore(folder, tell=sys.exit)
    brackets = Brackets(PROBLEM)
    brackets.add_schedule(simulate(page_all(stage(PROBLEM)), PROBLEM))
    for number in range(first, first + count):
        brackets.add_bound(budgets_of(number), bound_j(number))
        store.save(PROBLEM, brackets)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
