"""A small traced network, as it was recorded (PyTorch is not wanted) and traced anew."""

from functools import cache
from pathlib import Path

from solver import api
from solver.costs import CostedGraph, price
from solver.graph import TrainingGraph, Weights
from solver.loaders.base import LoadOptions
from solver.loaders.poet_graph import load
from solver.problem import Budgets, Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate
from solver.torch_request import InputSpec

MODULE = Path(__file__).parents[1] / "data" / "torch" / "small_net.py"
SHAPE = (4, 3, 8, 8)
INPUT = "x".join(map(str, SHAPE))
"""The batch that the recorded graph is of, and how --input says it."""
FILE = Path(__file__).parents[1] / "data" / "torch" / "small_net.json"


@cache
def traced_graph() -> TrainingGraph:
    """The graph of tests/data/torch/small_net.py:net, as it was recorded."""
    graph = load(FILE, LoadOptions())
    assert isinstance(graph, TrainingGraph)
    return graph


def traced(
    factory: str = "net", *inputs: str, file: Path = MODULE, loss: str = "softmax-ce"
) -> TrainingGraph:
    """One step of what a factory makes, traced now for inputs as --input has them: with PyTorch."""
    from solver.pytorch.trace import trace_factory  # noqa: PLC0415 - imports PyTorch

    specs = [InputSpec.parse(text) for text in inputs]
    return trace_factory(file, factory, specs, loss=loss, seed=0, weights=Weights.NOT_COUNTED)


@cache
def traced_costed() -> CostedGraph:
    return price(traced_graph(), api.load_device("rpi4"))


def keep_all(costed: CostedGraph) -> Trace:
    """Everything once, in the graph's order; each tensor freed after its last reader."""
    graph = costed.graph
    actions = []
    for place in range(len(graph.ops)):
        actions.append(Action(ActionKind.COMPUTE, place))
        used = (*graph.op_inputs[place], *graph.op_outputs[place])
        actions += [
            Action(ActionKind.FREE, tensor)
            for tensor in used
            if (graph.readers[tensor] or (place,))[-1] == place
        ]
    problem = Problem(costed, Budgets(costed.plain_peak_bytes))
    return simulate(Schedule(tuple(actions)), problem)
