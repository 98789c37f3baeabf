"""Claim: whatever damage a file has taken, it is loaded or refused in words, never crashed on."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from solver.codec.graph import device_object
from solver.device_files import device_from_document, load_device
from solver.errors import EngineError, ModelError
from solver.loaders import poet_graph, schedule_graph
from solver.loaders.json_file import parse_json
from solver.loaders.sniff import tell
from tests.helpers.mutations import POET_GRAPH, damaged

GRAPHS = Path(__file__).parents[2] / "data" / "graphs"
SCHEDULE: dict[str, Any] = json.loads((GRAPHS / "05_multi_output.json").read_text())
SCHEDULE["nodes"].insert(1, {"name": "flat", "kind": "forward", "view_of": "stem"})
DEVICE = msgspec.to_builtins(device_object(load_device("m4")))


def check_words(error: EngineError) -> None:
    assert error.issues
    assert all(issue.message and issue.where.startswith("f.json") for issue in error.issues)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged(SCHEDULE))
def test_that_a_damaged_schedule_graph_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        graph = schedule_graph.from_document(document, file="f.json", name="f")
    except ModelError as error:
        check_words(error)
    else:
        assert all(tensor.bytes >= 0 for tensor in graph.tensors)
        assert len(graph.op_inputs) == len(graph.ops)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged(POET_GRAPH))
def test_that_a_damaged_poet_graph_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        graph = poet_graph.from_document(document, file="f.json", name="f")
    except ModelError as error:
        check_words(error)
    else:
        assert len(graph.producer) == len(graph.tensors)
        assert len(graph.op_inputs) == len(graph.ops)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged(DEVICE))
def test_that_a_damaged_device_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        device = device_from_document(document, file="f.json")
    except EngineError as error:
        check_words(error)
    else:
        assert device.flop_per_s > 0
        assert device.page_in.seconds(1) > 0


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 200))
@example(b"0", 0)
def test_that_any_bytes_are_told_and_any_cut_of_a_file_is_refused(data: bytes, cut: int) -> None:
    assert tell(data).value
    whole = json.dumps(SCHEDULE).encode()
    # Ends in a control character, which no JSON does: a zero would make UTF-16 of a single digit.
    with pytest.raises(ModelError) as caught:
        parse_json(whole[: cut * len(whole) // 201] + data + b"\x01", "f.json")
    check_words(caught.value)
