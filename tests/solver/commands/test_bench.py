"""Claim: `poet bench` measures what is asked, keeps what is done, and fails on what must not be."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from solver.bench.records import Document, ReleasedResult, Request, RowResult, Run
from solver.bench.tables import BEGIN, END
from solver.cli import run as run_command
from solver.commands import bench
from tests.helpers.bench import result, run

ROW = "reference/transformer/nrf52840/32041226"
OTHER = "reference/vgg16_cifar/rpi4/1224744"
BASELINE_J = 8.256776400261774
BEST_J = BASELINE_J + 0.35795520160290867  # data/reference/bench.json

Answer = Callable[[Request], RowResult]


def proven(request: Request, *, energy_j: float = BEST_J, bound_j: float = BEST_J) -> RowResult:
    runs: Sequence[Run] = [
        run((0.1, energy_j, bound_j), limit_s=limit_s, wall_s=0.2, status="optimal")
        for limit_s in request.limits_s
    ]
    return result(*runs, name=request.row.name, baseline_j=BASELINE_J)


class Bench:
    """Runs `poet bench` with rows that are answered here instead of in a process."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capfd = capfd
        self.answer: Answer = proven
        self.asked: list[Request] = []
        monkeypatch.setattr(bench, "ask_process", self._ask)

    def _ask(self, request: Request) -> bytes:
        self.asked.append(request)
        if request.released:
            return msgspec.json.encode(ReleasedResult(name=request.row.name, note="skipped"))
        return msgspec.json.encode(self.answer(request))

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run_command(["bench", *arguments])
        out, err = self._capfd.readouterr()
        return code, out, err


@pytest.fixture
def poet_bench(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(capfd, monkeypatch)


def test_that_the_tables_of_the_chosen_rows_are_printed(poet_bench: Bench) -> None:
    code, out, _ = poet_bench("--rows", "transformer")
    assert code == 0
    assert "| transformer, nrf52840 |" in out
    assert "4,335.29" in out
    assert "The released formulation beside ours" in out
    assert [request.limits_s for request in poet_bench.asked] == [(60.0, 5.0, 5.0), (60.0,)]


def test_that_quick_runs_once_per_row_and_leaves_the_released_formulation_out(
    poet_bench: Bench,
) -> None:
    code, _, _ = poet_bench("--quick", "--rows", "transformer")
    assert code == 0
    assert [request.limits_s for request in poet_bench.asked] == [(5.0,)]


def test_that_rows_can_be_listed_without_a_solve(poet_bench: Bench) -> None:
    code, out, _ = poet_bench("--list", "--rows", "vgg16_cifar")
    assert code == 0
    assert out.splitlines() == [
        "reference/vgg16_cifar/nrf52840/1469692", "reference/vgg16_cifar/nrf52840/1224744", OTHER,
    ]  # fmt: skip
    assert poet_bench.asked == []


def test_that_an_unknown_row_is_wrong_usage(poet_bench: Bench) -> None:
    code, _, err = poet_bench("--rows", "alexnet")
    assert code == 2
    assert "no row matches 'alexnet'" in err


def test_that_json_on_stdout_stands_alone(poet_bench: Bench) -> None:
    _, out, _ = poet_bench("--quick", "--rows", "transformer", "--json", "-")
    found = msgspec.json.decode(out, type=Document)
    assert [each.name for each in found.rows] == [ROW]


def test_that_a_bound_above_the_best_known_schedule_ends_with_1(poet_bench: Bench) -> None:
    poet_bench.answer = lambda request: proven(request, energy_j=1.1 * BEST_J, bound_j=1.1 * BEST_J)
    code, _, err = poet_bench("--quick", "--rows", "transformer")
    assert code == 1
    assert f"poet: {ROW}: the bound of" in err
    assert "above the best known" in err


def test_that_rows_resume_and_an_interrupt_keeps_those_that_are_done(
    poet_bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "bench.json"
    readme = tmp_path / "README.md"
    readme.write_text(f"{BEGIN}\n{END}\n")
    arguments = ("--quick", "--rows", ROW, "--rows", OTHER, "--resume", str(path), "--readme",
                 str(readme))  # fmt: skip

    def interrupted_at_the_last(request: Request) -> RowResult:
        if request.row.name == ROW:
            raise KeyboardInterrupt
        return result(name=request.row.name, note="done")

    poet_bench.answer = interrupted_at_the_last
    code, out, err = poet_bench(*arguments)
    assert code == 130
    assert "interrupted: the rows so far are kept" in err
    assert "vgg16_cifar, rpi4" in out
    assert readme.read_text() == f"{BEGIN}\n{END}\n"

    poet_bench.answer, poet_bench.asked = proven, []
    code, _, err = poet_bench(*arguments)
    assert code == 0
    assert "1 row is taken from" in err
    assert [request.row.name for request in poet_bench.asked] == [ROW]
    assert "vgg16_cifar, rpi4" in readme.read_text()
    whole = msgspec.json.decode(path.read_bytes(), type=Document)
    assert [each.name for each in whole.rows] == [OTHER, ROW]


def test_that_a_file_of_other_limits_is_not_resumed(poet_bench: Bench, tmp_path: Path) -> None:
    path = str(tmp_path / "bench.json")
    poet_bench("--quick", "--rows", ROW, "--resume", path)
    code, _, err = poet_bench("--rows", ROW, "--resume", path)
    assert code == 2
    assert "holds a benchmark of other limits" in err


def test_that_the_readme_gets_the_tables_between_its_markers(
    poet_bench: Bench, tmp_path: Path
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    code, out, _ = poet_bench("--quick", "--rows", ROW, "--readme", str(readme))
    assert code == 0
    before, section = readme.read_text().split(BEGIN)
    section, after = section.split(END)
    assert (before, after) == ("before\n", "\nafter\n")
    on_the_terminal = [line for line in out.splitlines() if line.startswith("|")]
    in_the_file = [line for line in section.splitlines() if line.startswith("|")]
    assert on_the_terminal
    assert sorted(in_the_file) == sorted(on_the_terminal)


def test_that_a_readme_without_markers_is_refused(poet_bench: Bench, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("nothing")
    code, _, err = poet_bench("--quick", "--rows", ROW, "--readme", str(readme))
    assert code == 1
    assert "once each and in order" in err
    assert poet_bench.asked == []  # before an hour of work
    assert readme.read_text() == "nothing"
