"""Claim: the program as a process ends well when it is interrupted, watched, or at fault."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.helpers.command import CHAIN, DEAR


def _subprocess(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "solver.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


UNTIL_CANCELLED = """
import sys, time
from dataclasses import replace
import solver.commands.solve
from solver import api, cli
from solver.outcome import StopReason
from solver.strategies.plain import PAGE_ALL

class Patient:
    name, summary, paging, recompute = "patient", "Searches until it is cancelled.", None, None

    def solve(self, problem, options, report, cancel, known):
        found = PAGE_ALL.solve(problem, options, report, cancel)
        print("searching", file=sys.stderr, flush=True)
        while not cancel.requested:
            time.sleep(0.01)
        return replace(found, stop_reason=StopReason.CANCELLED)

api.get_strategy = solver.commands.solve.get_strategy = lambda name: Patient()
cli.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "kill"])
def test_that_an_interrupt_ends_with_130_and_keeps_the_best_schedule(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "r.json"
    arguments = ["solve", CHAIN, "--device", DEAR, "--ram", "901120", "--json", str(path)]
    with subprocess.Popen(
        [sys.executable, "-c", UNTIL_CANCELLED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"searching\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=240)

    assert process.returncode == 130
    assert b"kept" in err
    assert b"peak" in out
    document = json.loads(path.read_bytes())
    assert document["stop_reason"] == "cancelled"
    assert document["peak_bytes"] <= 901120


WITHIN_A_CALLBACK = """
import os, signal, sys, time
from solver import cli

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)  # raises KeyboardInterrupt, which Python drops in a __del__

def run(arguments):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.raise_interrupts()
    Dropped()
    print("not heard")

cli.run = run
cli.main()
"""


def test_that_an_interrupt_that_python_would_drop_is_heard() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHIN_A_CALLBACK], capture_output=True, timeout=240, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"poet: interrupted\n")


UNTIL_IT_IS_GONE = """
import atexit, os, signal, sys
from solver import cli

def interrupt_without_end():
    process = os.getpid()
    if os.fork() == 0:
        while os.getppid() == process:
            os.kill(process, signal.SIGINT)
        os._exit(0)

signal.signal(signal.SIGINT, signal.default_int_handler)
cli.run = lambda arguments: 3
atexit.register(interrupt_without_end)
cli.main()
"""


def test_that_interrupts_after_the_work_change_no_exit_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNTIL_IT_IS_GONE], capture_output=True, timeout=240, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")


WHILE_IT_IS_WRITTEN = """
import os, signal
from solver import cli
from solver.commands import solve

def write_output(path, data, write=solve.write_output):
    os.kill(os.getpid(), signal.SIGINT)
    write(path, data)

signal.signal(signal.SIGINT, signal.default_int_handler)
solve.write_output = write_output
cli.main()
"""


@pytest.mark.slow
def test_that_an_interrupt_while_the_result_is_written_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    arguments = ["solve", CHAIN, "--device", DEAR, "--strategy", "keep-all", "--json", str(path)]
    done = subprocess.run(
        [sys.executable, "-c", WHILE_IT_IS_WRITTEN, *arguments],
        capture_output=True,
        timeout=240,
        check=False,
    )

    assert (done.returncode, done.stderr) == (130, b"")
    assert b"peak" in done.stdout
    assert json.loads(path.read_bytes())["status"] == "optimal"


@pytest.mark.slow
def test_that_a_terminal_shows_progress_and_a_pipe_does_not(tmp_path: Path) -> None:
    arguments = ["solve", CHAIN, "--device", DEAR, "--ram", "901120", "--no-paging"]
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "solver.cli", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=terminal,
        ) as process:
            assert process.wait(timeout=240) == 0
        assert select.select([screen], [], [], 5)[0], "nothing was shown"
        shown = os.read(screen, 65536).decode()
    finally:
        os.close(terminal)
        os.close(screen)
    with _subprocess(*arguments) as piped:
        _, err = piped.communicate(timeout=240)

    assert re.search(r"best .* bound .*", shown)
    assert err == b""


def test_that_a_fault_of_ours_is_a_sentence_and_a_file() -> None:
    code = "import solver.cli as c; c.run = lambda arguments: 1 / 0; c.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    text = done.stderr.decode()
    assert done.returncode == 1
    assert "ZeroDivisionError" in text
    assert "Traceback" not in text
    report = re.search(r"report (\S+)\)", text)
    assert report is not None
    file = Path(report[1])
    assert "1 / 0" in file.read_text() or "ZeroDivisionError" in file.read_text()
    file.unlink()
