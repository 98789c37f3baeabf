"""`python -m tests.fuzz.hammer FIRST COUNT FOLDER`: read damaged files, look how each one ends.

Every case follows from its number alone. The number is written to stdout before the case is tried,
a fault behind it, so that whoever listens knows which case ended this process. A case may take 5 s
of processor time, then SIGPROF ends the process; and the whole process 1 GB of memory.
"""

import faulthandler
import json
import logging
import random
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from solver.costs import price
from solver.device_files import load_device
from solver.errors import Issue
from solver.graph import Quantized, TrainingGraph
from solver.graph_request import GraphRequest
from solver.reader import Answer, ReadDone, ReadExhausted, ReadFault, ReadRefused, answer
from tests.fuzz.json_damage import damaged_json, documents
from tests.fuzz.onnx_damage import damaged_onnx, models

CASE_SECONDS: Final = 5.0
MEMORY_BYTES: Final = 10**9
_DEVICE: Final = load_device("nrf52840")


def make_cases() -> Callable[[int], tuple[bytes, GraphRequest]]:
    """The function that turns a number into the bytes of a file and what is asked of it."""
    graphs, networks = documents(), models()

    def case(number: int) -> tuple[bytes, GraphRequest]:
        draw = random.Random(number)
        if draw.random() < 0.4:
            return damaged_json(draw, graphs), GraphRequest("")
        batch = draw.choice((None, None, 1, 2, 8))
        dims = {"N": 3, "batch": 2} if draw.random() < 0.3 else {}
        quantized = draw.choice((*Quantized, Quantized.REFUSED))
        request = GraphRequest("", batch=batch, dims=dims, quantized=quantized)
        return damaged_onnx(draw, networks), request

    return case


def try_case(data: bytes, request: GraphRequest, path: Path) -> tuple[str, str]:
    """How it ended, and what was wrong with that: empty for a sound graph or a good refusal."""
    path.write_bytes(data)
    found = msgspec.msgpack.decode(answer(str(path), request), type=Answer)
    match found:
        case ReadDone(graph=graph):
            return "read", _graph_faults(graph)
        case ReadRefused(issues=issues):
            return "refused", _refusal_faults(issues)
        case ReadExhausted():
            return "exhausted", "more than 1 GB of memory"
        case ReadFault(details=details):
            return "fault", details
        case _:
            return "fault", "a result where a model was asked for"


def _graph_faults(graph: TrainingGraph) -> str:
    if any(tensor.bytes < 0 for tensor in graph.tensors):
        return "a tensor of less than nothing"
    if any(not op.flop >= 0 for op in graph.ops):
        return "work of less than nothing"
    costed = price(graph, _DEVICE)
    return "a floor above the plain peak" if costed.floor_bytes > costed.plain_peak_bytes else ""


def _refusal_faults(issues: Sequence[Issue]) -> str:
    for issue in issues:
        if not issue.message or not str(issue).isprintable() or "Traceback" in str(issue):
            return f"no sentence: {issue!r}"
    return "" if issues else "refused without a word"


def main(arguments: Sequence[str]) -> None:
    """Try the cases: a line [number, endings so far] before each, [number, ending, fault] after."""
    first, count, folder = int(arguments[0]), int(arguments[1]), Path(arguments[2])
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)  # says where, then ends the process
    case, endings = make_cases(), Counter[str]()
    for number in range(first, first + count):
        _say(number, endings)
        signal.setitimer(signal.ITIMER_PROF, CASE_SECONDS)
        ending, fault = try_case(*case(number), folder / "case")
        signal.setitimer(signal.ITIMER_PROF, 0)
        endings[ending] += 1
        if fault:
            _say(number, ending, fault)
    _say(first + count - 1, endings)


def _say(*words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
