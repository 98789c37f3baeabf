"""Whether a graph has a program, and whether it is that of the graph."""

from collections.abc import Iterator

import msgspec

from solver.errors import EngineError, Issue, ModelError
from solver.graph import Op, TrainingGraph
from solver.torch_program import Call, Program


def program_of(graph: TrainingGraph) -> Program:
    """The graph's program. Raises EngineError when it was not traced."""
    if graph.program is None:
        hint = "trace the model first: poet trace module.py:factory -o NET.json"
        raise EngineError(Issue(f"{graph.name} was not traced, so nothing can be run", "", hint))
    return graph.program


def read_program(document: object, graph: TrainingGraph, file: str) -> Program:
    """The program of a poet.graph. Raises ModelError naming every way in which it does not fit."""
    try:
        program = msgspec.convert(document, Program)
    except msgspec.ValidationError as error:
        raise ModelError(Issue(str(error), f"{file}: program")) from error
    issues = list(_issues(program, graph, file))
    if issues:
        raise ModelError(issues)
    return program


def _issues(program: Program, graph: TrainingGraph, file: str) -> Iterator[Issue]:
    """Every op is one call or one input, and they tell the same story of what is read and made."""
    where = f"{file}: program"
    known = _weights(program) | {value.value for value in program.inputs}
    for call in program.calls:
        for value in set(call.reads()) - known:
            words = f"reads {value}, which nothing before it makes"
            yield Issue(words, f"{where}: call {call.name}")
        known |= {value for value in call.outputs if value is not None}
    wanted = {program.loss, *program.gradients.values(), *program.updates.values()}
    for value in sorted(wanted - known):
        yield Issue(f"no call makes {value}", where)
    homeless = sorted(known - set(program.storage))
    for value in homeless:
        yield Issue(f"does not say whose storage {value} has", f"{where}: storage")
    for name in sorted(program.by_name.keys() - graph.op_index.keys()):
        yield Issue("is no op of the graph", f"{where}: call {name}")
    if not homeless:
        yield from _ops_issues(program, graph, file)


def _weights(program: Program) -> set[str]:
    return {*program.parameters, *program.buffers, *(c.value for c in program.constants)}


def _ops_issues(program: Program, graph: TrainingGraph, file: str) -> Iterator[Issue]:
    inputs = {value.op for value in program.inputs}
    for op in graph.ops:
        call = program.by_name.get(op.name)
        if call is not None:
            yield from _op_issues(program, op, call, f"{file}: op {op.name}")
        elif op.name not in inputs:
            yield Issue("no call of the program makes it", f"{file}: op {op.name}")


def _op_issues(program: Program, op: Op, call: Call, where: str) -> Iterator[Issue]:
    made = [value for value in call.outputs if value is not None]
    if list(op.outputs) != made:
        yield Issue(f"makes {', '.join(op.outputs)}, its call {', '.join(made)}", where)
    weights = _weights(program)
    owners = dict.fromkeys(program.storage[value] for value in call.reads())
    reads = [owner for owner in owners if owner not in weights]
    if list(op.inputs) != reads:
        yield Issue(f"reads {', '.join(op.inputs)}, its call {', '.join(reads)}", where)
