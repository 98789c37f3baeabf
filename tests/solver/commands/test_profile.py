"""Claim: `poet profile` refuses in words, before it measures, what it cannot do."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from solver.cli import run
from solver.commands.profile import _compared
from solver.profiling import OpTiming, costs_csv


@pytest.mark.parametrize(
    ("name", "words"), [("a b", "no name of a board"), ("../x", "no name of a board"),
                        ("rpi4", "is a built-in device"), ("a72", "is a built-in device")]
)  # fmt: skip
def test_that_names_of_boards_are_checked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    assert run(["profile", "net.json", "--name", name, "--folder", str(tmp_path)]) == 2
    assert words in capfd.readouterr().err


def test_that_what_a_traced_file_says_is_not_said_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["profile", "net.json", "--name", "desk", "--folder", str(tmp_path)]
    assert run([*asked, "--input", "1x2", "--loss", "sum"]) == 2
    err = capfd.readouterr().err
    assert "--input: is that of the traced file" in err
    assert "--loss: is that of the traced file" in err


@pytest.mark.parametrize(
    ("option", "value"),
    [("--power", "nan"), ("--power", "0"), ("--power", "1_0"), ("--storage-power", "-1"),
     ("--storage-power", "nan"), ("--threads", "1_0"), ("--threads", "0")],
)  # fmt: skip
def test_that_numbers_of_the_machine_are_checked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    asked = ["profile", "net.json", "--name", "desk", "--folder", str(tmp_path), option, value]
    assert run(asked) == 2
    assert option in capfd.readouterr().err


@pytest.mark.parametrize("seed", ["-1", "1_0", str(2**63)])
def test_that_a_seed_is_one_that_pytorch_takes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], seed: str
) -> None:
    assert run(["trace", "nets.py:make", "-o", str(tmp_path / "net.json"), "--seed", seed]) == 2
    assert "--seed" in capfd.readouterr().err


def test_that_a_folder_that_is_not_there_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["profile", "net.json", "--name", "desk", "--folder", str(tmp_path / "none")]
    assert run(asked) == 1
    err = capfd.readouterr().err
    assert "desk.toml" in err
    assert "desk.costs.csv" in err


@pytest.mark.parametrize(
    ("now_s", "threads", "verdict", "ending"),
    [(1.2, None, "agrees", "now"), (1.3, None, "DOES NOT AGREE", "--threads 1 counts CPU time"),
     (1.3, 1, "DOES NOT AGREE", "now")],
)  # fmt: skip
def test_that_medians_that_moved_are_told_with_what_helps(
    tmp_path: Path, now_s: float, threads: int | None, verdict: str, ending: str
) -> None:
    table = tmp_path / "desk.costs.csv"
    table.write_bytes(costs_csv([OpTiming("a", "mm", 1e9, (1.0,))], 5.0))
    first, *_, last = _compared(table, [OpTiming("a", "mm", 1e9, (now_s,))], threads)
    assert first.startswith(f"earlier    {verdict}: ")
    assert last.endswith(ending)


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed here")
def test_that_missing_pytorch_is_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["profile", "net.json", "--name", "desk", "--folder", str(tmp_path)]) == 1
    err = capfd.readouterr().err
    assert "this needs PyTorch, which is not installed here" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
