"""Scan and other operators with bodies: written out row by row, or refused by name."""

from pathlib import Path
from typing import Any

import onnx
import pytest

from solver.errors import ModelError
from tests.helpers.onnx_control import body_of, kinds_of
from tests.helpers.onnx_models import (
    floats,
    load,
    model_of,
    node,
)


def _scan(**attributes: Any) -> onnx.NodeProto:
    """h = tanh(h + row), given for every row."""
    nodes = [
        node("Add", "h row", "sum"),
        node("Tanh", "sum", "next"),
        node("Identity", "next", "out"),
    ]
    body = body_of(nodes, "h row", "next out")
    return node(
        "Scan", "start x", "last y", name="scan", body=body, num_scan_inputs=1, **attributes
    )


def test_that_a_scan_reads_row_after_row_and_stacks_what_it_gives(tmp_path: Path) -> None:
    network = load(model_of([_scan()], [floats("start", 8), floats("x", 3, 8)]), tmp_path)
    assert kinds_of(network) == [
        "Split",
        *["Squeeze", "Add", "Tanh"] * 3,
        *["Unsqueeze"] * 3,
        "Concat",
    ]
    assert network.values["y"].shape == (3, 8)
    assert network.values["last"].shape == (8,)


def test_that_a_scan_backwards_begins_with_the_last_row(tmp_path: Path) -> None:
    model = model_of([_scan(scan_input_directions=[1])], [floats("start", 8), floats("x", 3, 8)])
    network = load(model, tmp_path)
    (split,) = [layer for layer in network.layers if layer.op_type == "Split"]
    rows = [layer.inputs[0] for layer in network.layers if layer.op_type == "Squeeze"]
    assert rows == list(reversed(split.outputs))


def test_that_a_scan_follows_its_axes(tmp_path: Path) -> None:
    # Columns of 8 x 5 are read, rows of length 8 given, stacked as columns again.
    scan = _scan(scan_input_axes=[1], scan_output_axes=[-1])
    network = load(model_of([scan], [floats("start", 8), floats("x", 8, 5)]), tmp_path)
    assert network.values["y"].shape == (8, 5)
    assert kinds_of(network).count("Tanh") == 5


def test_that_a_scan_of_the_oldest_form_is_refused_with_a_way_out(tmp_path: Path) -> None:
    model = model_of([_scan()], [floats("start", 8), floats("x", 3, 8)], opset=8)
    with pytest.raises(ModelError, match=r"node scan \(Scan\): .* convert the file"):
        load(model, tmp_path)


def test_that_bodies_of_other_operators_are_refused_by_name(tmp_path: Path) -> None:
    odd = node("SequenceMap", "x", name="map", body=body_of([node("Relu", "a", "b")], "a", "b"))
    with pytest.raises(ModelError, match=r"unsupported operator: SequenceMap \(node map\)"):
        load(model_of([odd], [floats("x", 2)]), tmp_path)


def test_that_a_scan_of_very_many_rows_is_refused_before_it_is_written_out(tmp_path: Path) -> None:
    model = model_of([_scan()], [floats("start", 8), floats("x", 2**35, 8)])
    with pytest.raises(ModelError, match="take more than 50,000 steps"):
        load(model, tmp_path)
