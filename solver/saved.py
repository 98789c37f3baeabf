"""Saved results: the problem and the outcome inside them, and whether all that they say is true."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isclose
from typing import Final

import msgspec
from msgspec import UNSET, structs

from solver.claims import bound_refuted, impossible_faults, unchecked
from solver.codec.documents import ResultDocument
from solver.codec.outcome import options_of, outcome_of
from solver.codec.result import Origin, result_document
from solver.costs import price
from solver.device import Device
from solver.device_files import device_from_document
from solver.errors import DeviceError, Issue, ModelError
from solver.graph import GraphSettings, Quantized, TrainingGraph
from solver.loaders.poet_graph import from_document
from solver.names import LONGEST_NAME, endless_names
from solver.outcome import Feasible, Infeasible, Optimal, Outcome, bound_faults, is_proven
from solver.problem import Budgets, Problem, Switches
from solver.verify import verify_figures

_SUM: Final = 1e-9  # relative: sums of the same numbers in another order
_GAP: Final = 1e-6  # absolute: a gap is the difference of two nearly equal energies


def problem_of(document: ResultDocument, graph: TrainingGraph | None = None) -> Problem:
    """The problem that a saved result answers, on `graph` or else on the graph inside the result.

    Raises
    ------
    ModelError
        The result is slim and no graph is given, or its own graph does not hold together.
    """
    if graph is None:
        if document.problem is UNSET:
            hint = "give the graph as well, from `poet graph --json`"
            raise ModelError(Issue("holds no graph, it was saved with --slim", "problem", hint))
        inside = msgspec.to_builtins(document.problem)
        graph = from_document(inside, file="problem", name=document.model.name)
    settings, budget = document.settings, document.budget
    made_by = GraphSettings(
        settings.accounting,
        settings.weights,
        settings.weight_gradients,
        settings.batch,
        settings.dims,
        settings.loss,
        settings.output,
        Quantized.REFUSED if settings.quantized is UNSET else settings.quantized,
    )
    graph = replace(graph, name=document.model.name, settings=made_by)
    return Problem(
        price(graph, _device(document)),
        Budgets(budget.ram_bytes, budget.runtime_s),
        Switches(settings.paging, settings.recompute, settings.io),
    )


def _device(document: ResultDocument) -> Device:
    """The device, held to the limits of a device file: prices on any other may not be finite."""
    try:
        return device_from_document(msgspec.to_builtins(document.device), file="device")
    except DeviceError as error:
        raise ModelError(error.issues) from error


@dataclass(frozen=True, slots=True)
class Examined:
    """A saved result taken apart: what was solved, how it ended, and every fault, in sentences.

    `unchecked` : what the result claims, and nothing but another solve could confirm.
    """

    problem: Problem
    outcome: Outcome
    faults: tuple[str, ...]
    unchecked: tuple[str, ...] = ()


def faults_of(document: ResultDocument, graph: TrainingGraph | None = None) -> tuple[str, ...]:
    """Every way in which a saved result is wrong, in sentences; empty when all of it holds.

    Raises as `examine`.
    """
    return examine(document, graph).faults


def examine(document: ResultDocument, graph: TrainingGraph | None = None) -> Examined:
    """Hold a saved result against `graph`, or else against the graph inside it.

    The verifier replays the schedule in exact integers; every figure is counted again and compared.

    Raises
    ------
    ModelError
        As problem_of; also when the result names ops or tensors that the graph does not have.
    """
    problem = problem_of(document, graph)
    outcome = outcome_of(document, problem)
    faults = tuple(_claim_faults(document, problem, outcome))
    if faults:  # every figure of an illegal schedule is off; that says nothing more
        return Examined(problem, outcome, faults)
    origin = Origin(document.model.source, document.model.sha256)
    true = result_document(problem, outcome, options_of(document), origin)
    if graph is not None or document.problem is UNSET:
        document, true = (structs.replace(each, problem=UNSET) for each in (document, true))
    differences = tuple(_differences(document, true, ""))
    claimed = unchecked(problem, outcome, document.settings.strategy)
    return Examined(problem, outcome, differences, claimed)


def _claim_faults(document: ResultDocument, problem: Problem, outcome: Outcome) -> Iterator[str]:
    """What is wrong with the schedule and with what is claimed of it."""
    yield from _text_faults(document)
    yield from endless_names(problem.costed.graph)
    strategy = document.settings.strategy
    yield from bound_refuted(problem, outcome, strategy)
    if isinstance(outcome, Infeasible):
        yield from impossible_faults(problem, outcome, strategy)
    if not isinstance(outcome, Optimal | Feasible):
        if document.actions:
            yield f"the status is {document.status}, yet there are actions"
        return
    yield from verify_figures(
        outcome.trace.schedule,
        problem,
        peak_bytes=-1 if document.peak_bytes is None else document.peak_bytes,
        energy_j=-1.0 if document.energy_j.total is None else document.energy_j.total,
        runtime_s=-1.0 if document.runtime_s is None else document.runtime_s,
    ).faults
    yield from bound_faults(outcome)
    energy_j = outcome.trace.total_energy_j
    if isinstance(outcome, Feasible) and is_proven(problem, energy_j, outcome.bound_j):
        yield f"called feasible, but the bound of {outcome.bound_j} J proves it optimal"


def _text_faults(document: ResultDocument) -> Iterator[str]:
    """Texts that are shown as they are, and that no result of this program has so long."""
    model, device, solver = document.model, document.device, document.solver
    shown = {
        "message": document.message,
        "model.source": model.source,
        "device.id": device.id,
        "device.name": device.name,
        "settings.strategy": document.settings.strategy,
        "solver.strategy": solver.strategy,
        "solver.name": solver.name,
        "solver.version": solver.version,
    }
    for place, text in shown.items():
        if len(text) > LONGEST_NAME:
            yield f"{place}: {len(text):,} characters, and at most {LONGEST_NAME:,} can be shown"


def _differences(stated: object, true: object, where: str) -> Iterator[str]:
    """Where a document differs from what was counted again: "energy_j.total: 2.0, counted 1.0"."""
    if isinstance(stated, msgspec.Struct) and isinstance(true, msgspec.Struct):
        if stated != true:
            yield from _differences(structs.asdict(stated), structs.asdict(true), where)
    elif isinstance(stated, dict) and isinstance(true, dict):
        for key in true:
            if key != "warnings":  # sentences of the day it was solved
                place = f"{where}.{key}" if where else str(key)
                yield from _differences(stated.get(key), true[key], place)
    elif isinstance(stated, list) and isinstance(true, list):
        yield from _list_differences(stated, true, where)
    elif isinstance(stated, float) and isinstance(true, float | int):
        slack = _GAP if where.startswith("gap") else 0.0
        if not isclose(stated, true, rel_tol=_SUM, abs_tol=slack):
            yield f"{where}: {stated}, counted {true}"
    elif stated != true:
        yield f"{where}: {stated}, counted {true}"


def _list_differences(stated: list[object], true: list[object], where: str) -> Iterator[str]:
    if len(stated) != len(true):
        yield f"{where}: {len(stated)} entries, counted {len(true)}"
        return
    for position, (one, other) in enumerate(zip(stated, true, strict=True)):
        yield from _differences(one, other, f"{where}[{position}]")
