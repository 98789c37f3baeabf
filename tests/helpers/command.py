"""The command line run in this process, and the contract's checkers run on what it wrote."""

import json
import runpy
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from solver.cli import run

DATA: Final = Path(__file__).parent.parent / "data"
GRAPHS: Final = DATA / "graphs"
DEVICES: Final = GRAPHS / "devices"
REFERENCE: Final = DATA / "reference"

CHAIN: Final = str(GRAPHS / "01_chain.json")
DEAR: Final = str(DEVICES / "dear.toml")
SOLVE: Final = ("solve", CHAIN, "--device", DEAR, "--strategy", "page-all")
"""The quickest solve of a file."""

Document = dict[str, Any]


class Poet:
    """Runs `poet` in this process; a call returns the exit code, stdout and stderr."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        out, err = self._capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err


class Solved(NamedTuple):
    """What `poet solve` and `poet graph` with the same settings said of one model."""

    code: int
    result: Document
    graph: Document


def solve_and_check(folder: Path, model: str, device: str, *options: str) -> Solved:
    """Run `poet solve` and `poet graph`, and assert that the contract's checkers find no fault.

    `options` are those of `poet solve`; the settings of the graph among them go to both. The time
    limit, unless it is one of them, is a stop that tests do not reach.
    """
    result_path, graph_path = folder / "result.json", folder / "graph.json"
    base = [model, "--device", device]
    code = run(["solve", *base, "--time-limit", "3600", *options, "--json", str(result_path)])
    assert run(["graph", *base, *_of_the_graph(options), "--json", str(graph_path)]) == 0
    result, graph = _read(result_path), _read(graph_path)
    assert checker("check_graph.py")(graph) == []
    assert checker("check_result.py")(graph, result) == []
    return Solved(code, result, graph)


def _of_the_graph(options: tuple[str, ...]) -> list[str]:
    shared = {
        "--accounting", "--weights", "--weight-gradients", "--batch", "--dim", "--loss",
        "--quantized",
    }  # fmt: skip
    pairs = pairwise(options)
    return [text for name, value in pairs if name in shared for text in (name, value)]


def checker(name: str) -> Callable[..., list[str]]:
    """The `check` of one of the contract's checkers, by file name."""
    check: Callable[..., list[str]] = runpy.run_path(str(DATA / "contract" / name))["check"]
    return check


def _read(path: Path) -> Document:
    document: Document = json.loads(path.read_bytes())
    return document
