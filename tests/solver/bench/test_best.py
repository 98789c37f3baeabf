"""Claim: the best known energy is the least verified one of the same problem, whoever found it."""

import pytest

from solver.bench.best import Best, best_energies_j, improved, known_best
from tests.helpers.bench import MIB, document, result, row, run

NAME = "real/net/board/0.7"


def entry(energy_j: float, **more: object) -> Best:
    given = {"name": NAME, "problem": "p", "ram_bytes": 7 * MIB, "runtime_s": None,
             "source": "before", **more}  # fmt: skip
    return Best(energy_j=energy_j, **given)  # type: ignore[arg-type] # fields of many types


FOUND = document(result(run((1.0, 105.0, 104.0))))


def test_that_the_least_of_file_and_run_counts() -> None:
    assert best_energies_j([row()], FOUND, {NAME: entry(104.5)}) == {NAME: 104.5}
    assert best_energies_j([row()], FOUND, {NAME: entry(106.0)}) == {NAME: 105.0}


def test_that_a_schedule_counts_for_looser_budgets_of_the_same_problem() -> None:
    tight = result(
        run((1.0, 104.0, 101.0)), name="real/net/board/0.5", ram_bytes=5 * MIB, runtime_s=2.0
    )
    rows = [row(), row(tight.name)]
    both = document(result(run((1.0, 105.0, 101.0))), tight)
    assert best_energies_j(rows, both, {}) == {NAME: 104.0, tight.name: 104.0}
    elsewhere = {"x": entry(103.0, name="x", ram_bytes=6 * MIB)}
    # more RAM, and no runtime limit, than the tight row allows
    assert best_energies_j(rows, both, elsewhere) == {NAME: 103.0, tight.name: 104.0}
    slow = {"x": entry(103.0, name="x", ram_bytes=5 * MIB, runtime_s=3.0)}
    assert best_energies_j(rows, both, slow)[tight.name] == 104.0


@pytest.mark.parametrize("other", [{"problem": "q"}, {"ram_bytes": 8 * MIB}], ids=str)
def test_that_an_entry_of_another_problem_or_more_memory_does_not_count(
    other: dict[str, object],
) -> None:
    assert best_energies_j([row()], FOUND, {NAME: entry(104.5, **other)}) == {NAME: 105.0}
    assert improved(FOUND, {NAME: entry(104.5, **other)})[0].energy_j == 105.0


def test_that_a_prototypes_figure_counts_beyond_its_rounding() -> None:
    # It told an overhead of 4.9 or of 4.98, give or take 0.05; the run found 5.
    rough = row(best_overhead_j=4.98, rounding_j=0.05)
    better = row(best_overhead_j=4.9, rounding_j=0.05)
    assert best_energies_j([rough], FOUND, {})[NAME] == 105.0
    assert best_energies_j([better], FOUND, {})[NAME] == pytest.approx(104.9)


def test_that_a_row_without_any_schedule_has_no_best() -> None:
    assert best_energies_j([row()], document(result(run((1.0, None, 104.0)))), {}) == {}


def test_that_only_better_verified_schedules_enter_the_file() -> None:
    assert improved(FOUND, {NAME: entry(104.5)}) == (entry(104.5),)
    (new,) = improved(FOUND, {NAME: entry(105.5)})
    assert (new.energy_j, new.problem, new.ram_bytes) == (105.0, "p", 7 * MIB)
    assert "60 s, step s" in new.source
    doubtful = document(result(run((1.0, 105.0, 104.0), verified=False)))
    assert improved(doubtful, {}) == ()
    assert best_energies_j([row()], doubtful, {NAME: entry(106.0)}) == {NAME: 106.0}


def test_that_entries_of_rows_that_were_not_measured_stay() -> None:
    other = entry(7.0, name="real/other/board/0.5")
    assert improved(FOUND, {other.name: other})[1] == other


def test_that_the_projects_file_is_read() -> None:
    assert all(name == each.name and each.source for name, each in known_best().items())
