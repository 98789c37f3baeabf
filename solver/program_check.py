"""Whether a graph has a program, and whether it is that of the graph."""

import math
from collections.abc import Iterator
from typing import Final

import msgspec

from solver.errors import EngineError, Issue, ModelError
from solver.graph import Op, TrainingGraph
from solver.torch_program import Argument, Call, Program

DTYPES: Final = frozenset({
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
    "bool", "uint8", "int8", "int16", "int32", "int64",
})  # fmt: skip
"""Types of inputs and constants, as PyTorch names them."""
NON_FINITE: Final = ("inf", "-inf", "nan")


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
    issues = list(_malformed(program, f"{file}: program"))
    issues = issues or list(_issues(program, graph, file))
    if issues:
        raise ModelError(issues)
    return program


def _malformed(program: Program, where: str) -> Iterator[Issue]:
    """What could not be told, or made, whatever the graph is."""
    typed = [(value.value, value.dtype) for value in program.inputs]
    typed += [(constant.value, constant.dtype) for constant in program.constants]
    for value, dtype in typed:
        if dtype not in DTYPES:
            yield Issue(f"unknown type {dtype!r}", f"{where}: {value}")
    for constant in program.constants:
        if len(constant.data) != math.prod(constant.shape):
            words = f"has {len(constant.data)} numbers, its shape wants {math.prod(constant.shape)}"
            yield Issue(words, f"{where}: {constant.value}")
        if not all(_is_number(item) for item in constant.data):
            yield Issue("holds something that is no number", f"{where}: {constant.value}")
    for call in program.calls:
        for argument in (*call.args, *call.kwargs.values()):
            if not _well_formed(argument):
                yield Issue(f"{argument!r} is no argument", f"{where}: call {call.name}")


def _is_number(item: Argument) -> bool:
    if isinstance(item, dict):
        return item.keys() == {"float"} and item["float"] in NON_FINITE
    return isinstance(item, bool | int | float)


def _well_formed(argument: Argument) -> bool:
    """Whether the argument is of one of the forms that `Argument` names."""
    if not isinstance(argument, dict):
        return argument is None or isinstance(argument, bool | int | float | str)
    if len(argument) != 1:
        return False
    ((key, held),) = argument.items()
    if key == "list":
        return isinstance(held, list) and all(map(_well_formed, held))
    if key == "float":
        return held in NON_FINITE
    if key == "device":
        return bool(held == "cpu")
    return key in {"value", "dtype", "layout", "memory_format"} and isinstance(held, str)


def _input_issues(program: Program, graph: TrainingGraph, where: str) -> Iterator[Issue]:
    """An input has the shape and the type of the tensor that its op makes."""
    for value in program.inputs:
        place = graph.op_index.get(value.op)
        if place is None or len(graph.ops[place].outputs) != 1:
            yield Issue("is no input of the graph", f"{where}: {value.op}")
            continue
        tensor = graph.tensors[graph.op_outputs[place][0]]
        shape = list(tensor.shape or ())
        if (value.shape, value.dtype) != (shape, tensor.dtype):
            words = f"is {value.shape} {value.dtype}, in the graph {shape}"
            yield Issue(f"{words} {tensor.dtype}", f"{where}: {value.op}")


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
    yield from _input_issues(program, graph, where)
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
