"""Recurrent nodes: their outputs in both layouts, absent ones, and inputs that do not fit."""

from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.onnx_models import floats, integers, load, model_of, node, shapes_of, weight

ROWS = {"LSTM": 4, "GRU": 3, "RNN": 1}
FEATURES, HIDDEN = 4, 8


def recurrent(
    tmp_path: Path,
    kind: str,
    outputs: str = "y",
    *,
    x: tuple[int, ...] = (5, 2, FEATURES),
    directions: int = 1,
    state: tuple[int, ...] | None = None,
    opset: int = 14,
    shown: str = "y",
    **attributes: Any,
) -> Network:
    """A node behind input `x`; outputs and `state` (h0 of that shape) only where they are given."""
    rows = ROWS[kind] * HIDDEN
    stored = [weight("w", directions, rows, FEATURES), weight("r", directions, rows, HIDDEN)]
    names = ["x", "w", "r"]
    if state is not None:
        stored.append(weight("h0", *state))
        names += ["", "", "h0"]
    made = ["" if name == "-" else name for name in outputs.split()]
    nodes = [helper.make_node(kind, names, made, hidden_size=HIDDEN, **attributes)]
    model = model_of(nodes, [floats("x", *x)], stored, outputs=(shown,), opset=opset)
    return load(model, tmp_path)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_that_all_states_and_the_last_ones_come_out(kind: str, tmp_path: Path) -> None:
    outputs = "y h c" if kind == "LSTM" else "y h"
    found = shapes_of(recurrent(tmp_path, kind, outputs))
    last = dict.fromkeys(outputs.split()[1:], (1, 2, 8))
    assert found == {"y": (5, 1, 2, 8)} | last


def test_that_two_directions_have_states_of_their_own(tmp_path: Path) -> None:
    network = recurrent(tmp_path, "GRU", "y h", directions=2, direction="bidirectional")
    assert shapes_of(network) == {"y": (5, 2, 2, 8), "h": (2, 2, 8)}


def test_that_the_batch_may_stand_in_front(tmp_path: Path) -> None:
    options = {"x": (2, 5, FEATURES), "state": (2, 1, 8), "layout": 1}
    assert shapes_of(recurrent(tmp_path, "LSTM", "y h c", **options)) == {
        "y": (2, 5, 1, 8),
        "h": (2, 1, 8),
        "c": (2, 1, 8),
    }


@pytest.mark.parametrize(("outputs", "shown"), [("- h", "h"), ("- - c", "c"), ("y - c", "c")])
def test_that_outputs_that_nobody_wants_are_not_made(
    outputs: str, shown: str, tmp_path: Path
) -> None:
    network = recurrent(tmp_path, "LSTM", outputs, shown=shown)
    assert set(shapes_of(network)) == set(outputs.replace("-", "").split())
    assert faults_of(expand(network, TrainingOptions(loss="sum"))) == []


def test_that_states_of_every_step_are_kept_though_the_file_wants_the_last(tmp_path: Path) -> None:
    graph = expand(recurrent(tmp_path, "LSTM", "- h", shown="h"), TrainingOptions(loss="sum"))
    units = 5 * 2 * 8
    assert graph.saved_extra_bytes == units * (4 + 1 + 1) * 4  # gates, cell, state


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"x": (5, 2, 3)}, "weight is 1x24x4, it must be 1x24x3"),
        ({"x": (5, FEATURES)}, "steps, batch and features are needed"),
        ({"direction": "bidirectional"}, "weight is 1x24x4, it must be 2x24x4"),
        ({"direction": "sideways"}, "direction 'sideways' is not one of forward"),
        ({"activations": ["Sigmoid"]}, "1 activations, there must be 2"),
        ({"activations": ["Sigmoid", "Gelu"]}, "activation 'Gelu' is not one of Affine"),
        ({"state": (1, 3, 8)}, "initial state is 1x3x8, it must be 1x2x8"),
    ],
)
def test_that_inputs_that_do_not_fit_each_other_are_told(
    options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=words):
        recurrent(tmp_path, "GRU", **options)


def test_that_other_activations_are_read(tmp_path: Path) -> None:
    network = recurrent(tmp_path, "GRU", activations=["HardSigmoid", "relu"])
    assert shapes_of(network) == {"y": (5, 1, 2, 8)}


def test_that_lengths_and_peepholes_are_read(tmp_path: Path) -> None:
    stored = [weight("w", 1, 32, 4), weight("r", 1, 32, 8), weight("b", 1, 64), weight("p", 1, 24)]
    inputs = [floats("x", 5, 2, 4), helper.make_tensor_value_info("n", TensorProto.INT32, [2])]
    nodes = [node("LSTM", "x w r b n - - p", hidden_size=8)]
    network = load(model_of(nodes, inputs, stored), tmp_path)
    graph = expand(network, TrainingOptions(loss="sum"))
    assert [item.name for item in graph.trainable] == ["w", "r", "b", "p"]
    assert faults_of(graph) == []


def test_that_a_stack_of_layers_is_differentiated_through_its_rearrangements(
    tmp_path: Path,
) -> None:
    # as frameworks export two layers in two directions: [steps, 2, batch, hidden] to features
    nodes = [
        node("LSTM", "x w1 r1", "y1", hidden_size=8, direction="bidirectional"),
        node("Transpose", "y1", "t1", perm=[0, 2, 1, 3]),
        node("Reshape", "t1 shape", "z1"),
        node("LSTM", "z1 w2 r2", "y2 h2", hidden_size=8, direction="bidirectional"),
        node("Transpose", "h2", "t2", perm=[1, 0, 2]),
        node("Flatten", "t2", "y"),
    ]
    stored = [weight("w1", 2, 32, 4), weight("r1", 2, 32, 8), integers("shape", 0, 0, -1)]
    stored += [weight("w2", 2, 32, 16), weight("r2", 2, 32, 8)]
    graph = expand(load(model_of(nodes, [floats("x", 5, 2, 4)], stored), tmp_path))
    assert graph.trainable_bytes == 4 * (2 * 32) * (4 + 8 + 16 + 8)
    assert faults_of(graph) == []
