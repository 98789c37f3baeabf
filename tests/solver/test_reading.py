"""Claim: whatever the process that reads a file does or dies of, the answer is one sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver.cli import run
from solver.errors import EngineError, ModelError, UsageError
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.loading import LoadedModel, load_training_graph
from solver.reading import (
    READER_COMMAND,
    ReadingCancelledError,
    ReadingFaultError,
    ReadingLimits,
    read_model,
    read_result,
)
from solver.solve_process import WORKER_COMMAND
from tests.helpers.command import GRAPHS
from tests.helpers.onnx_models import floats, model_of, node, weight

CHAIN = str(GRAPHS / "01_chain.json")


def dying(code: str) -> tuple[str, ...]:
    """A reading process that takes the question and then does this."""
    return (sys.executable, "-c", f"import os, sys, time; sys.stdin.read(); {code}")


def refused(code: str, *, limits: ReadingLimits | None = None) -> EngineError:
    with pytest.raises(EngineError) as caught:
        read_model(GraphRequest(CHAIN), limits=limits or ReadingLimits(), command=dying(code))
    return caught.value


@pytest.mark.usefixtures("files_read_here")
def test_that_a_graph_file_comes_back_as_it_was_read() -> None:
    assert read_model(GraphRequest(CHAIN)) == load_training_graph(GraphRequest(CHAIN))


def test_that_an_onnx_file_comes_back_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "n.onnx"
    path.write_bytes(
        model_of(
            [node("Gemm", "x w"), node("Relu", "y", "z")],
            [floats("x", "N", 4)],
            [weight("w", 4, 3)],
            outputs=("z",),
        ).SerializeToString()
    )
    request = GraphRequest(str(path), batch=2)

    assert read_model(request) == load_training_graph(request)


def test_that_a_built_in_network_needs_no_process() -> None:
    made = read_model(GraphRequest("linear", Accounting.POET), command=("/nowhere",))

    assert isinstance(made, LoadedModel)
    assert made.source == "built-in"


def test_that_a_name_without_a_file_needs_no_process() -> None:
    with pytest.raises(UsageError, match="no file and no built-in network"):
        read_model(GraphRequest("resnet81"), command=("/nowhere",))


@pytest.mark.usefixtures("files_read_here")
def test_that_wrong_usage_stays_wrong_usage() -> None:
    with pytest.raises(UsageError) as caught:
        read_model(GraphRequest(CHAIN, batch=2, loss="mse"))

    assert [issue.where for issue in caught.value.issues] == ["--batch", "--loss"]


@pytest.mark.usefixtures("files_read_here")
def test_that_what_is_said_of_a_file_can_be_shown(tmp_path: Path) -> None:
    document = json.loads(Path(CHAIN).read_text())
    document["nodes"][0]["inputs"] = ["x" * 5000, *(f"y{k}" for k in range(1500))]
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(document))

    with pytest.raises(ModelError) as caught:
        read_model(GraphRequest(str(path)))
    texts = [issue.message for issue in caught.value.issues]
    assert max(map(len, texts)) < 2100
    assert len(texts) <= 1001


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_that_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    with pytest.raises(ModelError, match="is not an ordinary file"):
        read_model(GraphRequest(str(path)))
    with pytest.raises(ModelError, match="is not an ordinary file"):
        read_result(path)


@pytest.mark.usefixtures("files_read_here")
def test_that_every_mistake_of_a_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(Path(CHAIN).read_text().replace('"bytes": ', '"bytes": -', 2))
    with pytest.raises(ModelError) as here:
        load_training_graph(GraphRequest(str(path)))
    with pytest.raises(ModelError) as there:
        read_model(GraphRequest(str(path)))

    assert len(there.value.issues) == 2
    assert there.value.issues == here.value.issues


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want names in Unicode")
def test_that_a_file_whose_name_is_no_unicode_is_read(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.json"
    Path(os.fsdecode(path)).write_bytes(Path(CHAIN).read_bytes())

    made = read_model(GraphRequest(os.fsdecode(path)))

    assert made.source.endswith(r"caf\udce9.json")


@pytest.mark.usefixtures("files_read_here")
def test_that_a_number_beyond_64_bits_is_one_sentence(tmp_path: Path) -> None:
    # 2^24 x 2^24 by 2^24 x 2^24 are 2^72 multiply-adds, of floats that take 2^50 B each.
    model = model_of(
        [node("MatMul", "x w")], [floats("x", 2**24, 2**24)], [weight("w", 2**24, 2**24)]
    )
    path = tmp_path / "vast.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match=r"^vast\.onnx: a size or a count in it is beyond 64 bits"):
        read_model(GraphRequest(str(path)))


@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_that_a_crash_is_one_sentence() -> None:
    error = refused("os.kill(os.getpid(), 11)")

    assert len(error.issues) == 1
    assert error.issues[0].where == "01_chain.json"
    assert "SIGSEGV" in error.issues[0].message
    assert "damaged" in error.issues[0].suggestion


def test_that_an_end_without_an_answer_is_one_sentence() -> None:
    assert "exit code 3" in str(refused("os._exit(3)"))


def test_that_an_answer_that_is_none_is_one_sentence() -> None:
    assert "without an answer" in str(refused("print('hello')"))
    assert "without an answer" in str(refused("os.write(1, bytes([255, 0, 254]))"))


def test_that_reading_without_end_is_stopped() -> None:
    error = refused("time.sleep(3600)", limits=ReadingLimits(seconds=0.2))

    assert "took longer than 200 ms" in str(error)


def test_that_cancelling_stops_it_at_once() -> None:
    answers = iter([False, False, True])  # asked once more, it would raise StopIteration

    with pytest.raises(ReadingCancelledError, match="cancelled"):
        read_model(
            GraphRequest(CHAIN), cancelled=lambda: next(answers), command=dying("time.sleep(3600)")
        )

    assert next(answers, None) is None


def test_that_a_fault_of_the_program_comes_with_its_place() -> None:
    error = refused("raise KeyError('fact')")

    assert isinstance(error, ReadingFaultError)
    assert "fault of its own" in str(error)
    assert "KeyError: 'fact'" in error.details


@pytest.mark.slow
def test_that_the_memory_is_limited(tmp_path: Path) -> None:
    # 4 B of file for a node, which takes protobuf more than 100 B of memory
    path = tmp_path / "bomb.onnx"
    nodes = b"\x0a\x00" * 1_500_000
    size = bytearray()
    rest = len(nodes)
    while rest > 127:
        size.append(rest & 127 | 128)
        rest >>= 7
    path.write_bytes(b"\x08\x08\x3a" + bytes([*size, rest]) + nodes + b"\x42\x02\x10\x11")

    with pytest.raises(ModelError) as caught:
        read_model(GraphRequest(str(path)), limits=ReadingLimits(memory_bytes=200 * 2**20))

    # 200 MiB and four times the 3 MB of the file
    assert "more than 211 MiB of memory" in str(caught.value)


def test_that_a_module_beside_the_file_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Downloads lie in one folder: a json.py or an onnx.py there must stay a file."""
    (tmp_path / "g.json").write_bytes(Path(CHAIN).read_bytes())
    for name in ("json", "msgspec", "onnx", "numpy"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)

    read_model(GraphRequest("g.json"))

    assert not (tmp_path / "ran").exists()


WAITING_CHILD = """
import sys, threading, time
from solver.reader import _watch
threading.Thread(target=_watch, args=(int(sys.argv[1]), None), daemon=True).start()
time.sleep(600)
"""
DYING_PARENT = """
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())])
os._exit(0)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the id of a dead parent")
def test_that_the_process_outlives_no_parent() -> None:
    # run returns when stdout closes, which the child holds open as long as it lives
    done = subprocess.run(
        [sys.executable, "-c", DYING_PARENT, WAITING_CHILD],
        stdout=subprocess.PIPE,
        timeout=200,
        check=True,
    )

    assert done.stdout == b""


def test_that_the_command_line_says_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.onnx"
    path.write_bytes(b"\x08\x08\x3a\x7fcut")

    assert run(["graph", str(path), "--device", "m4"]) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "cut off" in said.err


@pytest.mark.parametrize("command", [READER_COMMAND, WORKER_COMMAND])
def test_that_the_working_folder_is_searched_for_no_module(command: tuple[str, ...]) -> None:
    assert "-P" in command
