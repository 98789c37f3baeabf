"""A traced network that needs no PyTorch to be scheduled, and schedules of it."""

from functools import cache
from pathlib import Path

from solver import api
from solver.costs import CostedGraph, price
from solver.graph import TrainingGraph
from solver.loaders.base import LoadOptions
from solver.loaders.poet_graph import load
from solver.problem import Budgets, Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate

FILE = Path(__file__).parents[1] / "data" / "torch" / "small_net.json"


@cache
def traced_graph() -> TrainingGraph:
    """The graph of tests/data/torch/small_net.py:net, as it was recorded."""
    graph = load(FILE, LoadOptions())
    assert isinstance(graph, TrainingGraph)
    return graph


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
