"""Claim: no output harms another, an input or stdout, and no path makes a command fall or hang."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solver.cli import run
from tests.helpers.command import CHAIN, DEAR, SOLVE


@pytest.mark.parametrize("command", ["solve", "graph"])
@pytest.mark.parametrize("read", ["model.json", "device.toml"])
@pytest.mark.parametrize("by_link", [False, True], ids=["itself", "link"])
def test_that_a_file_that_is_read_is_not_overwritten(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    command: str,
    read: str,
    *,
    by_link: bool,
) -> None:
    model, device = tmp_path / "model.json", tmp_path / "device.toml"
    shutil.copyfile(CHAIN, model)
    shutil.copyfile(DEAR, device)
    target = tmp_path / read
    if by_link:
        (tmp_path / "link").symlink_to(target)
        target = tmp_path / "link"
    before = target.read_bytes()

    code = run([command, str(model), "--device", str(device), "--json", str(target)])

    assert code == 2
    assert "would overwrite" in capfd.readouterr().err
    assert target.read_bytes() == before


@pytest.mark.parametrize("option", ["--csv", "--trace"])
def test_that_stdout_takes_one_document(capfd: pytest.CaptureFixture[str], option: str) -> None:
    assert run([*SOLVE, "--json", "-", option, "-"]) == 2

    out, err = capfd.readouterr()
    assert out == ""
    assert "write to stdout" in err


def test_that_a_table_on_stdout_stands_alone(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([*SOLVE, "--csv", "-"]) == 0

    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert len({line.count(",") for line in lines}) == 1, "something else stands among the rows"
    assert "above the baseline" in err


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "loop", ""])
@pytest.mark.parametrize("option", ["--json", "--csv", "--trace"])
def test_that_an_output_that_no_file_can_be_is_said_before_the_work(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
    option: str,
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)

    assert run([*SOLVE, option, name]) == 1

    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"poet: {option}: cannot write")


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "a\0b", "x" * 300, ".", "gone.json"])
def test_that_check_reads_ordinary_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)

    assert run(["check", name]) == 1

    assert capfd.readouterr().err.count("\n") == 1


def test_that_a_dimension_of_thousands_of_digits_is_wrong_usage(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run([*SOLVE, "--dim", "N=" + "9" * 5000]) == 2

    assert "NAME=VALUE" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"),
    [("--threads", "257"), ("--seed", "2147483648"), ("--ram-ratio", "1e300")],
)
def test_that_a_number_that_the_solver_cannot_take_is_wrong_usage(
    capfd: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    assert run([*SOLVE, option, value, "--json", "-"]) == 2

    out, err = capfd.readouterr()
    assert out == ""
    assert option in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirect", "arguments", "code", "words"),
    [
        (">&-", "--json -", 1, "stdout is closed"),
        (">&-", "", 0, ""),
        ("2>&-", "", 0, ""),
        (">/dev/full", "", 1, "cannot write to stdout: No space left"),
        (">/dev/full", "--json -", 1, "cannot write -: No space left"),
    ],
)
def test_that_a_closed_or_full_stream_is_no_fault_of_the_program(
    redirect: str, arguments: str, code: int, words: str
) -> None:
    # a built-in network, for which no other process has to read a file
    solve = "solve linear --accounting poet --device m4 --strategy page-all"
    line = f"{sys.executable} -m solver.cli {solve} {arguments} {redirect}"

    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, timeout=240, check=False
    )

    assert done.returncode == code
    assert words in done.stderr
    assert "fault" not in done.stderr


def test_that_json_to_a_device_is_no_clash() -> None:
    both = ["--json", os.devnull, "--csv", os.devnull]

    assert run([*SOLVE, *both]) == 0
    assert json.loads(Path(CHAIN).read_bytes())["format"] == "schedule-graph"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are Unicode elsewhere")
def test_that_a_model_whose_name_is_no_unicode_is_solved(tmp_path: Path) -> None:
    model, result = tmp_path / os.fsdecode(b"net\xff.json"), tmp_path / os.fsdecode(b"r\xff.json")
    document = json.loads(Path(CHAIN).read_bytes())
    del document["name"]  # that of the file is taken instead
    model.write_text(json.dumps(document))
    options = ["--device", "nrf52840", "--ram", "1GiB", "--strategy", "keep-all"]

    assert run(["solve", str(model), *options, "--json", str(result)]) == 0

    said = json.loads(result.read_bytes())["model"]
    assert said["name"] == "net\\udcff"
    assert said["source"].endswith("net\\udcff.json")
    assert run(["check", str(result)]) == 0
