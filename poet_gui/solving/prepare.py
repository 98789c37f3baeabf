"""From a loaded graph to what the window explores: priced on a device, with its plain schedule."""

from dataclasses import replace

from poet_gui.solving.deliveries import OpenModel
from poet_gui.solving.sweep_status import STRATEGIES, switches_of
from poet_gui.viewmodels.block_lanes import blocks_of
from poet_gui.viewmodels.trace_index import index_trace
from solver.costs import CostedGraph, price
from solver.device import Device, IoMode
from solver.graph import TrainingGraph
from solver.graph_request import GraphRequest
from solver.problem import Budgets, Problem, Switches, fingerprint
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import keep_all
from solver.verify import verify


def plain_trace(costed: CostedGraph) -> Trace:
    """The baseline executed: every op once, each tensor freed after its last reader."""
    budgets = Budgets(costed.plain_peak_bytes)
    problem = Problem(costed, budgets, Switches(io=IoMode.BLOCKING))
    trace = simulate(keep_all(stage(problem)), problem)
    index_trace(trace)  # remembered
    return trace


def prepare(
    graph: TrainingGraph,
    device: Device,
    *,
    request: GraphRequest,
    source: str,
    sha256: str | None,
    graph_key: str,
) -> OpenModel:
    """Price `graph` on `device` and make everything that is known before a solve."""
    costed = _priced(graph, device)
    made = fingerprints(costed, Switches(io=device.io))
    return OpenModel(request, source, sha256, graph_key, costed, plain_trace(costed), made)


def reprice(model: OpenModel, device: Device) -> OpenModel:
    """Move the same model to another device."""
    costed = _priced(model.costed.graph, device)
    made = fingerprints(costed, Switches(io=device.io))
    return replace(model, costed=costed, plain=plain_trace(costed), fingerprints=made)


def fingerprints(costed: CostedGraph, present: Switches) -> tuple[tuple[Switches, str], ...]:
    """Fingerprints under the present switches, and under those that the frontier compares."""
    asked = dict.fromkeys(switches_of(strategy, present) for strategy in STRATEGIES)
    nowhere = Budgets(0)
    return tuple((one, fingerprint(Problem(costed, nowhere, one))) for one in asked)


def carried(trace: Trace, costed: CostedGraph) -> Trace | None:
    """The schedule of `trace` executed on another device; None when it is none there.

    `costed` is the same graph priced on that device, whose I/O mode is used. A runtime limit is
    not held against it: it was one of the other device.
    """
    before = trace.problem
    switches = replace(before.switches, io=costed.device.io)
    problem = Problem(costed, Budgets(before.budgets.ram_bytes), switches)
    if verify(trace.schedule, problem).faults:
        return None
    return simulate(trace.schedule, problem)


def starting_budgets(model: OpenModel) -> Budgets:
    """The budgets of a freshly opened model: the file's own, else the device's RAM if it matters.

    A device with more RAM than the plain schedule needs starts at that need: more changes nothing.
    """
    suggested = model.costed.graph.budget_bytes
    if suggested is not None:
        return Budgets(suggested)
    return Budgets(min(model.costed.device.ram_bytes, model.costed.plain_peak_bytes))


def _priced(graph: TrainingGraph, device: Device) -> CostedGraph:
    costed = price(graph, device)
    # These are cached properties: asked for here, in the background, they are free in the window.
    _ = costed.floor_op, costed.baseline_runtime_s, costed.baseline_energy_j
    blocks_of(costed)  # remembered
    return costed
