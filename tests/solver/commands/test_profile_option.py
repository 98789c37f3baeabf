"""Claim: --profile prices what it names, in the documents too, and its mistakes are sentences."""

import json
from pathlib import Path

import pytest

from solver.cli import run
from tests.helpers.command import CHAIN, DEAR


def table(folder: Path, text: str) -> str:
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_that_the_graph_is_priced_and_marked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["graph", CHAIN, "--device", DEAR, "--json", "-"])
    plain = json.loads(capfd.readouterr().out)
    op = plain["ops"][1]["name"]
    profile = table(tmp_path, f"op,seconds\n{op},0.125\n")
    assert run(["graph", CHAIN, "--device", DEAR, "--profile", profile, "--json", "-"]) == 0
    captured = capfd.readouterr()
    document = json.loads(captured.out)
    assert document["ops"][1]["duration_s"] == 0.125
    assert document["ops"][0] == plain["ops"][0]
    assert document["device"]["profile"]["name"] == "mine.csv"
    count = len(plain["ops"])
    words = (
        f"priced by the cost table mine.csv: the seconds of 1 and the joules of 0 of {count} ops"
    )
    assert document["warnings"] == [*plain["warnings"], f"{words}; the others follow from FLOP"]
    assert words in captured.err


def test_that_a_solved_result_with_a_table_passes_its_check(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    profile, result = table(tmp_path, "kind,seconds,joules\nf1,0.5,2\n"), str(tmp_path / "r.json")
    asked = ["solve", CHAIN, "--device", DEAR, "--strategy", "page-all", "--profile", profile]
    assert run([*asked, "--json", result]) == 0
    assert run(["check", result]) == 0
    assert "ok:" in capfd.readouterr().out


def test_that_mistakes_of_device_and_table_come_together(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    profile = table(tmp_path, "op,seconds\na,-1\nb,nan\n")
    assert run(["graph", CHAIN, "--device", "nosuch", "--profile", profile]) != 0
    err = capfd.readouterr().err
    assert "no device is called 'nosuch'" in err
    assert "line 2: seconds: is -1" in err
    assert "line 3: seconds: is nan" in err


def test_that_the_table_is_not_written_over(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    profile = table(tmp_path, "op,seconds\na,1\n")
    assert run(["graph", CHAIN, "--device", DEAR, "--profile", profile, "--json", profile]) == 2
    assert "would overwrite" in capfd.readouterr().err
