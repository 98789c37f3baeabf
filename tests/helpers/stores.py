"""Stores of brackets in a folder, and an example of what they hold."""

import math
import sqlite3
from contextlib import closing
from pathlib import Path

from solver.bracket_rows import StoreLimits
from solver.bracket_store import FILE_NAME, BracketStore
from solver.brackets import Brackets
from solver.problem import Budgets, Problem
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.storing import PROBLEM


class Place:
    """A folder for stores, and what they have told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.told: list[str] = []

    def store(self, limits: StoreLimits | None = None) -> BracketStore:
        return BracketStore(self.folder, self.told.append, limits)

    def load(self, problem: Problem = PROBLEM) -> Brackets:
        return self.store().load(problem)

    def change(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute(statement, values)
            connection.commit()


def example(problem: Problem = PROBLEM) -> Brackets:
    """Two schedules, three bounds: with and without a runtime limit, one of them impossible."""
    brackets = Brackets(problem)
    for make in (keep_all, page_all):
        brackets.add_schedule(simulate(make(stage(problem)), problem))
    brackets.add_bound(Budgets(3500), 15.05)
    brackets.add_bound(Budgets(4000, 15.06), 15.02)
    brackets.add_bound(Budgets(3300, 15.04), math.inf)
    return brackets


def assert_same(one: Brackets, other: Brackets) -> None:
    assert one.schedules == other.schedules
    assert one.bounds == other.bounds
