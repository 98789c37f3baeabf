"""Claim: every command line ends with the contract's exit code and sentences, no traceback."""

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

from solver import api
from solver.cli import run
from tests.helpers.command import DATA, DEVICES, GRAPHS
from tests.helpers.results import outcome_of_kind

CHAIN = str(GRAPHS / "01_chain.json")
DEAR = str(DEVICES / "dear.toml")
SOLVE = ["solve", CHAIN, "--device", DEAR, "--strategy", "page-all"]


@pytest.fixture
def poet(capfd: pytest.CaptureFixture[str]) -> "Poet":
    return Poet(capfd)


class Poet:
    """Runs `poet` in this process."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        out, err = self._capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err


def test_that_help_names_every_command(poet: Poet) -> None:
    code, out, _ = poet("--help")

    assert code == 0
    for command in ("gui", "solve", "graph", "check", "bench", "models", "devices", "strategies"):
        assert f"  {command} " in out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_that_the_window_without_a_display_is_refused_in_words(
    poet: Poet, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)

    code, _, err = poet("gui", "--demo")

    assert code == 1
    assert err.startswith("poet: there is no display to open the window on")


@pytest.mark.parametrize("command", ["solve", "graph", "check", "models", "devices", "strategies"])
def test_that_each_command_has_a_help(poet: Poet, command: str) -> None:
    code, out, _ = poet(command, "--help")

    assert code == 0
    assert out.startswith("Usage: poet")


def test_that_solve_ends_with_0_and_a_summary(poet: Poet) -> None:
    code, out, err = poet(*SOLVE, "--ram", "901120")

    assert code == 0
    assert "901,120 B (880 KiB)" in out
    assert err == ""


def test_that_a_budget_beyond_the_device_is_pointed_at(poet: Poet) -> None:
    linear = ["linear", "--accounting", "poet", "--device", "mkr1000", "--strategy", "keep-all"]
    _, above, _ = poet("solve", *linear, "--ram", "33KiB")
    _, within, _ = poet("solve", *linear, "--ram", "32KiB")

    assert "33,792 B (33.0 KiB), more than the device's 32.0 KiB" in above
    assert "more than the device" not in within


def test_that_a_ratio_may_be_a_percentage(poet: Poet) -> None:
    code, out, _ = poet(*SOLVE, "--ram-ratio", "90%", "--gap", "5%", "--json", "-")
    _, same, _ = poet(*SOLVE, "--ram-ratio", "0.9", "--gap", "0.05", "--json", "-")

    assert code == 0
    assert json.loads(out)["budget"] == json.loads(same)["budget"]


def test_that_what_is_no_ratio_is_said_with_what_would_be(poet: Poet) -> None:
    code, _, err = poet(*SOLVE, "--runtime-ratio", "x1.5")

    assert code == 2
    assert err == (
        "poet: --runtime-ratio: 'x1.5' is not a ratio (write a number such as 0.7 or 70%)\n"
    )


def test_that_json_on_stdout_stands_alone(poet: Poet) -> None:
    code, out, err = poet(*SOLVE, "--ram", "880KiB", "--json", "-")

    document = json.loads(out)
    assert code == 0
    assert document["budget"]["ram_bytes"] == 901120
    assert document["model"]["source"] == CHAIN
    assert document["message"] in err


def test_that_slim_json_holds_no_graph(poet: Poet) -> None:
    _, out, _ = poet(*SOLVE, "--json", "-", "--slim")

    assert "problem" not in json.loads(out)


def test_that_an_infeasible_budget_ends_with_3_and_json(poet: Poet) -> None:
    code, out, err = poet(*SOLVE, "--ram", "901119", "--json", "-")

    document = json.loads(out)
    assert code == 3
    assert document["status"] == "infeasible"
    # b2 sets the floor of 901,120 B (tests/data/graphs/expected.json), one byte more than there is
    assert document["reason"]["op"] == "b2"
    assert document["reason"]["missing"] == 1
    assert "b2" in err


def test_that_no_answer_within_the_limit_ends_with_4(
    poet: Poet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "solve", lambda problem, *rest: outcome_of_kind("no_answer", problem))

    assert poet(*SOLVE)[0] == 4


def test_that_a_failed_solve_ends_with_1_and_its_faults(
    poet: Poet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "solve", lambda problem, *rest: outcome_of_kind("failed", problem))

    code, _, err = poet(*SOLVE)

    assert code == 1
    assert "broke" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "resnet81", "--device", "rpi4"], "did you mean resnet18"),
        (["solve", "vgg16", "--device", "rpi5"], "did you mean rpi4"),
        (["solve", "vgg16", "--device", "rpi4", "--strategy", "jont"], "did you mean joint"),
        (["solv", "vgg16"], "did you mean solve"),
        (["dance"], "unknown command 'dance'"),
        (["solve", "vgg16"], "--device"),
        (["solve", CHAIN, "--device", DEAR, "--accounting", "autodiff"], "--accounting"),
        (["graph", CHAIN, "--device", DEAR, "--accounting", "poet"], "--accounting"),
        (["solve", "linear", "--device", "rpi4"], "--accounting poet"),
        (["solve", "linear", "--device", "rpi4", "--accounting", "given"], "given"),
        ([*SOLVE, "--ram", "256 KB"], "KiB"),
        ([*SOLVE, "--ram", "-1"], "--ram"),
        ([*SOLVE, "--ram", "lots"], "lots"),
        ([*SOLVE, "--ram", "1e40"], "more than any machine holds"),
        ([*SOLVE, "--ram-ratio", "nan"], "nan"),
        ([*SOLVE, "--ram-ratio", "-0.5"], "--ram-ratio"),
        ([*SOLVE, "--ram", "1", "--ram-ratio", "1"], "--ram and --ram-ratio"),
        ([*SOLVE, "--runtime", "3 hours"], "hours"),
        ([*SOLVE, "--runtime", "1", "--runtime-ratio", "1"], "--runtime and --runtime-ratio"),
        ([*SOLVE, "--gap", "-1"], "--gap"),
        ([*SOLVE, "--gap", "inf"], "--gap"),
        ([*SOLVE, "--time-limit", "-1"], "--time-limit"),
        ([*SOLVE, "--work-limit", "nan"], "--work-limit"),
        ([*SOLVE, "--threads", "0"], "--threads"),
        ([*SOLVE, "--batch", "0"], "--batch"),
        ([*SOLVE, "--dim", "sequence"], "NAME=VALUE"),
        ([*SOLVE, "--dim", "=3"], "NAME=VALUE"),
        ([*SOLVE, "--dim", "N=0"], "NAME=VALUE"),
        ([*SOLVE, "--io", "sideways"], "--io"),
        ([*SOLVE, "--csv", "a.out", "--trace", "./a.out"], "same file"),
    ],
)
def test_that_wrong_usage_ends_with_2_and_names_it(
    poet: Poet, arguments: list[str], words: str
) -> None:
    code, out, err = poet(*arguments)

    assert code == 2
    assert out == ""
    assert words in err


def test_that_the_mistakes_of_model_device_and_strategy_come_together(poet: Poet) -> None:
    code, _, err = poet("solve", "vgg61", "--device", "rpi44", "--strategy", "jont")

    assert code == 2
    assert err.count("did you mean") == 3


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("01_truncated.onnx", "cut off"),
        ("03_negative_bytes.json", "b"),
        ("05_duplicate_names.json", "conv"),
        ("09_empty.onnx", "empty"),
        ("11_html_404_named.onnx", "web page"),
        ("13_string_number.json", "100"),
        ("17_overflow_dims.onnx", "B"),
        ("19_opset_999.onnx", "999"),
        (".", "folder"),
    ],
)
def test_that_a_bad_file_ends_with_1_and_names_the_place(poet: Poet, file: str, words: str) -> None:
    code, out, err = poet("solve", str(DATA / "malformed" / file), "--device", "rpi4")

    assert code == 1
    assert out == ""
    assert words in err


def test_that_a_petabyte_is_legal_and_exact(poet: Poet) -> None:
    path = str(DATA / "malformed" / "07_petabyte_tensor.json")

    too_big, _, _ = poet("solve", path, "--device", "rpi4")
    code, out, _ = poet("solve", path, "--device", "rpi4", "--ram", "2e15", "--json", "-")

    assert too_big == 3
    assert code == 0
    # with nothing remade: huge 10^15, a 4096 B and the loss 4 B
    assert json.loads(out)["peak_bytes"] == 10**15 + 4100


@pytest.mark.parametrize("path", ["missing/x.json", ".", "file/x.json"])
def test_that_an_output_that_cannot_be_written_is_said_before_the_solve(
    poet: Poet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(api, "solve", lambda *arguments: pytest.fail("solved all the same"))

    code, _, err = poet(*SOLVE, "--json", str(tmp_path / path))

    assert code == 1
    assert "cannot write" in err


def test_that_outputs_are_whole_files_and_nothing_else_is_left(poet: Poet, tmp_path: Path) -> None:
    paths = {name: str(tmp_path / name) for name in ("r.json", "t.json", "a.csv")}
    files = ["--json", paths["r.json"], "--trace", paths["t.json"], "--csv", paths["a.csv"]]

    assert poet(*SOLVE, *files)[0] == 0

    assert {path.name for path in tmp_path.iterdir()} == set(paths)
    actions = json.loads(Path(paths["r.json"]).read_bytes())["actions"]
    assert len(Path(paths["a.csv"]).read_text().splitlines()) == len(actions) + 1
    assert json.loads(Path(paths["t.json"]).read_bytes())["traceEvents"]


def test_that_without_a_schedule_only_the_json_is_written(poet: Poet, tmp_path: Path) -> None:
    result, table = tmp_path / "r.json", tmp_path / "a.csv"

    code, _, err = poet(*SOLVE, "--ram", "1", "--json", str(result), "--csv", str(table))

    assert code == 3
    assert result.exists()
    assert not table.exists()
    assert "no schedule" in err


def test_that_the_warnings_go_to_stderr(poet: Poet) -> None:
    unsorted = str(GRAPHS.parent / "onnx_corner" / "17_not_topological.onnx")

    code, out, err = poet("solve", unsorted, "--device", "rpi4", "--json", "-")

    assert code == 0
    assert "warning: the nodes of this file were out of order" in err
    assert "out of order" in json.loads(out)["warnings"][0]


def test_that_transfers_overlap_where_the_device_says_so_or_when_asked(poet: Poet) -> None:
    _, own, _ = poet("solve", CHAIN, "--device", "rpi4", "--json", "-")
    _, asked, _ = poet(*SOLVE, "--io", "overlapped", "--json", "-")
    _, other, _ = poet("solve", CHAIN, "--device", "rpi4", "--io", "blocking", "--json", "-")

    assert json.loads(own)["settings"]["io"] == "overlapped"
    assert json.loads(asked)["settings"]["io"] == "overlapped"
    assert json.loads(other)["settings"]["io"] == "blocking"


def test_that_graph_prints_a_summary_or_json(poet: Poet) -> None:
    code, summary, _ = poet("graph", CHAIN, "--device", DEAR)
    _, text, _ = poet("graph", CHAIN, "--device", DEAR, "--json", "-")

    assert code == 0
    assert "floor" in summary
    assert "b2" in summary
    assert "not counted in RAM" in summary
    assert "device RAM  1,000,000,000,000 B (931 GiB)" in summary  # the board's, in dear.toml
    document = json.loads(text)
    assert document["format"] == "poet.graph"
    assert document["floor_bytes"] == 901120


def test_that_a_saved_graph_solves_like_its_source(poet: Poet, tmp_path: Path) -> None:
    saved = str(tmp_path / "g.json")
    poet("graph", "linear", "--accounting", "poet", "--device", "m4", "--json", saved)
    budget = ["--device", "m4", "--ram", "3388", "--strategy", "page-all", "--json", "-"]

    _, direct, _ = poet("solve", "linear", "--accounting", "poet", *budget)
    _, again, _ = poet("solve", saved, *budget)

    assert json.loads(direct)["energy_j"] == json.loads(again)["energy_j"]
    assert json.loads(again)["settings"]["accounting"] == "given"


def test_that_check_passes_a_true_result_and_names_a_fault(poet: Poet, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    poet(*SOLVE, "--json", str(path))
    assert poet("check", str(path))[0] == 0
    document = json.loads(path.read_bytes())
    document["peak_bytes"] -= 1
    path.write_text(json.dumps(document))

    code, out, _ = poet("check", str(path))

    assert code == 1
    assert "peak stated" in out


def test_that_a_slim_result_is_checked_against_its_graph(poet: Poet, tmp_path: Path) -> None:
    result, graph = str(tmp_path / "r.json"), str(tmp_path / "g.json")
    poet(*SOLVE, "--slim", "--json", result)
    poet("graph", CHAIN, "--device", DEAR, "--json", graph)

    alone, _, err = poet("check", result)
    code, out, _ = poet("check", result, "--graph", graph)

    assert alone == 1
    assert "--slim" in err
    assert code == 0
    assert out.startswith("ok")


def test_that_check_refuses_what_is_no_result(poet: Poet) -> None:
    assert poet("check", CHAIN)[0] == 1
    assert poet("check", "nowhere.json")[0] == 1


def test_that_the_lists_come_as_lines_and_as_json(poet: Poet) -> None:
    for command, known in (("models", "bert"), ("devices", "rpi4"), ("strategies", "joint")):
        _, lines, _ = poet(command)
        _, text, _ = poet(command, "--json")
        assert known in lines
        assert any(known in (row.get("name"), row.get("id")) for row in json.loads(text))


@pytest.mark.parametrize(
    ("command", "columns"),
    [("models", ["name", "accounting"]), ("devices", ["id", "RAM", "transfers", "name"])],
)
def test_that_lists_with_columns_name_them(poet: Poet, command: str, columns: list[str]) -> None:
    assert poet(command)[1].splitlines()[0].split() == columns


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
        out, err = process.communicate(timeout=60)

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

def run():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.raise_interrupts()
    Dropped()
    print("not heard")

cli.run = run
cli.main()
"""


def test_that_an_interrupt_that_python_would_drop_is_heard() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHIN_A_CALLBACK], capture_output=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"poet: interrupted\n")


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
            assert process.wait(timeout=60) == 0
        assert select.select([screen], [], [], 5)[0], "nothing was shown"
        shown = os.read(screen, 65536).decode()
    finally:
        os.close(terminal)
        os.close(screen)
    with _subprocess(*arguments) as piped:
        _, err = piped.communicate(timeout=60)

    assert re.search(r"best .* bound .*", shown)
    assert err == b""


def test_that_a_fault_of_ours_is_a_sentence_and_a_file() -> None:
    code = "import solver.cli as c; c.run = lambda: 1 / 0; c.main()"
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
