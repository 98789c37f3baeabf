"""The recorded replays of the acceptance networks, read without PyTorch; record.py writes them."""

import gzip
import json
import sys
from math import ceil
from pathlib import Path
from typing import Any

import msgspec

from solver.codec import decode_result
from solver.codec.documents import ResultDocument
from solver.codec.outcome import outcome_of
from solver.costs import CostedGraph
from solver.graph import TrainingGraph
from solver.loaders.poet_graph import from_document
from solver.outcome import Feasible, Optimal
from solver.saved import problem_of
from solver.simulate import Trace

MODULE = Path(__file__).parents[2] / "data" / "torch" / "networks.py"
FOLDER = MODULE.parent / "recorded"
NETWORKS = ("resnet18_cifar", "mobilenet_like", "unet", "encoder", "lstm")
DEVICES = ("nrf52840", "rpi4")
AMPLE, TIGHT = "0.6 of the plain peak", "1.05 of the floor"


class Run(msgspec.Struct, frozen=True):
    """One schedule that was replayed; `report` is the ReplayReport as `poet replay --json` has it.

    ram_bytes : the budget that `budget` came to.
    """

    network: str
    device: str
    budget: str
    ram_bytes: int
    report: dict[str, Any] = {}

    @property
    def counts(self) -> dict[str, int]:
        """Actions by kind."""
        return {kind: times["count"] for kind, times in self.report["times"].items()}


def budgets(costed: CostedGraph) -> dict[str, int]:
    """The budgets that a network is replayed at, in bytes; one where both are the same."""
    tight = ceil(1.05 * costed.floor_bytes)
    ample = 6 * costed.plain_peak_bytes // 10
    return {AMPLE: ample, TIGHT: tight} if ample > tight else {TIGHT: tight}


def graph_file(network: str) -> Path:
    """The poet.graph of a network, gzipped."""
    return FOLDER / f"{network}.graph.json.gz"


def result_file(run: Run) -> Path:
    """The poet.result of a run without its graph, gzipped."""
    return (
        FOLDER / f"{run.network}-{run.device}-{'ample' if run.budget == AMPLE else 'tight'}.json.gz"
    )


def runs_file(network: str) -> Path:
    """What the replays of a network found."""
    return FOLDER / f"{network}.json"


def recorded_graph(network: str) -> TrainingGraph:
    """The traced step, with its program."""
    document = json.loads(gzip.decompress(graph_file(network).read_bytes()))
    return from_document(document, file=network, name=network)


def recorded_runs(network: str) -> list[Run]:
    """Every run of a network, in the order of recording."""
    return msgspec.json.decode(runs_file(network).read_bytes(), type=list[Run])


def recorded_result(run: Run) -> ResultDocument:
    """The result of a run."""
    return decode_result(gzip.decompress(result_file(run).read_bytes()), result_file(run).name)


def recorded_trace(run: Run, graph: TrainingGraph) -> Trace:
    """The schedule of a run on its graph, simulated again."""
    document = recorded_result(run)
    outcome = outcome_of(document, problem_of(document, graph))
    assert isinstance(outcome, Optimal | Feasible)
    return outcome.trace


def table() -> str:
    """The table of README: every recorded run in a row."""
    head = (
        "| network | device | budget | recomputed | paged out / in "
        "| energy above plain | proven: at least | peak: promised, measured "
        "| gradients bit-equal | off eager by |"
    )
    rows = [head, f"| --- | --- |{' ---: |' * 8}"]
    for network in NETWORKS:
        rows += [_row(run) for run in recorded_runs(network)]
    return "\n".join(rows)


def _row(run: Run) -> str:
    result, report, counts = recorded_result(run), run.report, run.counts
    same = report["gradients"] - len(report["different"])
    cells = (
        run.network,
        run.device,
        f"{run.budget}, {run.ram_bytes:,} B",
        str(counts["recompute"]),
        f"{counts['page_out']} / {counts['page_in']}",
        _above(result, result.energy_j.total),
        _above(result, result.bound_j),
        f"{report['predicted_bytes']:,} B, {report['peak_bytes']:,} B",
        f"{same} of {report['gradients']}",
        f"{report['eager_error']:.0e}",
    )
    return f"| {' | '.join(cells)} |"


def _above(result: ResultDocument, joule: float | None) -> str:
    """How far it is above the baseline, in percent of it."""
    assert joule is not None
    return f"+{100 * (joule / result.baseline.energy_j - 1):.1f} %"


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
