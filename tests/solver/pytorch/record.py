"""Record what replays of the acceptance networks found, for those who have no PyTorch.

Run from the project's folder where PyTorch is installed (`pip install -e '.[torch,test]'`):

    python -m tests.solver.pytorch.record [NETWORK ...]

Each network of tests/data/torch/networks.py is traced, solved on each of DEVICES at 0.6 of its
plain peak (or 1.05 of its floor, where that is more) and at 1.05 of its floor, and replayed. Into
tests/data/torch/recorded go the traced graph, every result without its graph, and what the replays
found; tests/solver/pytorch/recorded.py reads them again.
"""

import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from solver import api
from solver.codec import Origin, encode_json, graph_document, result_document
from solver.graph import TrainingGraph, Weights
from solver.problem import Problem, SolveOptions
from solver.pytorch.replay import replay
from solver.pytorch.trace import trace_factory
from tests.solver.pytorch.recorded import (
    DEVICES,
    FOLDER,
    MODULE,
    NETWORKS,
    Run,
    budgets,
    graph_file,
    result_file,
    runs_file,
)

TIME_LIMIT_S = 60.0
SEED = 0


def trace_network(network: str) -> TrainingGraph:
    """The traced step of one network; its source is named relative to its folder."""
    before = Path.cwd()
    os.chdir(MODULE.parent)
    try:
        return trace_factory(
            Path(MODULE.name),
            network,
            [],
            loss="softmax-ce",
            seed=SEED,
            weights=Weights.NOT_COUNTED,
        )
    finally:
        os.chdir(before)


def solve_and_replay(graph: TrainingGraph, problem: Problem, run: Run) -> tuple[bytes, Run]:
    """The result of one problem as JSON without its graph, and the run with what was found."""
    options = SolveOptions(time_limit_s=TIME_LIMIT_S)
    outcome = api.solve(problem, options)
    trace = getattr(outcome, "trace", None)
    if trace is None:
        raise SystemExit(f"{graph.name} on {run.device}: {outcome.message}")
    before = Path.cwd()
    os.chdir(MODULE.parent)
    try:
        report = replay(trace, lambda done, of: None)
    finally:
        os.chdir(before)
    if not report.agrees:
        raise SystemExit(f"{graph.name} on {run.device}: {report}")
    result = result_document(problem, outcome, options, Origin(MODULE.name), slim=True)
    found = msgspec.json.decode(msgspec.json.encode(report))
    return encode_json(result), msgspec.structs.replace(run, report=found)


def record(network: str) -> None:
    """Write the files of one network."""
    graph = trace_network(network)
    costed = api.make_problem(graph, api.load_device(DEVICES[0])).costed
    write(graph_file(network), encode_json(graph_document(costed)))
    runs = list(_recorded(network, graph))
    text = msgspec.json.format(msgspec.json.encode(runs), indent=1)
    runs_file(network).write_bytes(text + b"\n")


def _recorded(network: str, graph: TrainingGraph) -> Iterator[Run]:
    for device in DEVICES:
        costed = api.make_problem(graph, api.load_device(device)).costed
        for budget, ram in budgets(costed).items():
            problem = api.make_problem(graph, api.load_device(device), ram=ram)
            result, run = solve_and_replay(graph, problem, Run(network, device, budget, ram))
            write(result_file(run), result)
            sys.stderr.write(f"{network} on {device}, {budget}: as promised\n")
            yield run


def write(path: Path, data: bytes) -> None:
    """The same bytes make the same file."""
    path.write_bytes(gzip.compress(data, mtime=0))


def main(*networks: str) -> None:
    """Record these networks, all where none is named."""
    FOLDER.mkdir(exist_ok=True)
    for network in networks or NETWORKS:
        record(network)


if __name__ == "__main__":
    main(*sys.argv[1:])
