"""Every single-operator case that onnx publishes for backends: shapes as stored, gradients whole.

The published inputs and outputs hold real numbers, so their shapes owe nothing to any inference.
Inputs behind the first are constants here, as they mostly are in files.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from solver.errors import EngineError
from solver.graph import Phase
from solver.loaders.onnx_rules.table import LAYER_RULES
from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of, without_op
from tests.helpers.onnx_models import load

pytestmark = pytest.mark.slow

_NUMBERS = {"OneHot"}  # reads indices, of whatever type
Shapes = list[tuple[int, ...]]


@dataclass(frozen=True)
class Case:
    """A published case: its model with constants in place of all inputs but the first."""

    name: str
    model: onnx.ModelProto
    shapes: Shapes

    @property
    def node(self) -> onnx.NodeProto:
        return self.model.graph.node[0]


def _tensor(value: Any, name: str) -> onnx.TensorProto | None:
    """The tensor of a published value; None for sequences, optionals and texts."""
    if isinstance(value, onnx.TensorProto):
        made = TensorProto()
        made.CopyFrom(value)
    elif isinstance(value, list | dict | str) or value is None:
        return None
    else:
        array = np.asarray(value)
        if array.dtype.kind in "OUS":
            return None
        made = numpy_helper.from_array(array)
    made.name = name
    return made


def _case(published: Any) -> Case | None:
    """The case for an operator that is read, None for others and for what holds no tensors.

    A dimension of size 0 in an input is left out too: files write 0 for a size that is not known.
    """
    model = published.model
    if model is None or len(model.graph.node) != 1:
        return None
    if model.graph.node[0].op_type not in LAYER_RULES or not published.data_sets:
        return None
    graph = model.graph
    inputs, outputs = published.data_sets[0]
    read = [_tensor(value, info.name) for info, value in zip(graph.input, inputs, strict=True)]
    made = [_tensor(value, info.name) for info, value in zip(graph.output, outputs, strict=True)]
    if not read or not all(read) or not all(made) or any(0 in item.dims for item in read if item):
        return None
    first = graph.node[0].input[0]
    graph.initializer.extend(item for item in read if item and item.name != first)
    kept = [info for info in graph.input if info.name == first]
    del graph.input[:]
    graph.input.extend(kept)
    return Case(published.name, model, [tuple(item.dims) for item in made if item])


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    with warnings.catch_warnings():
        # The published cases are computed when they are collected, with infinities and casts.
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases  # noqa: PLC0415 - as above

        published = collect_testcases(None)
    found = [case for item in published if (case := _case(item)) is not None]
    assert len(found) > 900
    return found


def test_that_every_published_shape_is_found(cases: list[Case], tmp_path: Path) -> None:
    wrong = []
    for case in cases:
        try:
            network = load(case.model, tmp_path)
        except EngineError as error:
            wrong.append(f"{case.name}: {error}")
            continue
        found = [network.values[info.name].shape for info in case.model.graph.output]
        if found != case.shapes:
            wrong.append(f"{case.name}: {found}, published {case.shapes}")
    assert wrong == []


def _behind_a_trained_scale(case: Case) -> onnx.ModelProto | None:
    """The case with its first input times a trained constant; None where no gradient can exist."""
    model, first = case.model, case.node.input[0]
    (info,) = model.graph.input
    shape = [size.dim_value for size in info.type.tensor_type.shape.dim]
    kind = info.type.tensor_type.elem_type
    last = model.graph.output[0].type.tensor_type.elem_type
    no_gradient = {kind, last} != {TensorProto.FLOAT} or case.node.op_type in _NUMBERS
    if no_gradient or len(shape) < 2 or shape[1] < 2:
        return None
    sizes = [shape[1], *(1 for _ in shape[2:])]
    scale = TensorProto(name="trained", data_type=TensorProto.FLOAT, dims=sizes)
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    graph = changed.graph
    graph.initializer.append(scale)
    graph.node[0].input[0] = "scaled"
    graph.node.insert(0, helper.make_node("Mul", [first, "trained"], ["scaled"], name="scale"))
    changed.opset_import[0].version = max(changed.opset_import[0].version, 7)
    return changed


def _trained(cases: list[Case], tmp_path: Path) -> Iterator[tuple[str, Network]]:
    for case in cases:
        model = _behind_a_trained_scale(case)
        if model is not None:
            yield case.name, load(model, tmp_path)


def test_that_no_gradient_of_a_published_case_can_be_left_out(
    cases: list[Case], tmp_path: Path
) -> None:
    wrong, graphs = [], 0
    for name, network in _trained(cases, tmp_path):
        try:
            graph = expand(network, TrainingOptions(loss="sum", output=network.outputs[0]))
        except EngineError as error:
            wrong.append(f"{name}: {error}")
            continue
        graphs += 1
        wrong += [f"{name}: {fault}" for fault in faults_of(graph)]
        wrong += [
            f"{name}: {op.name} is not missed"
            for k, op in enumerate(graph.ops)
            if op.phase is Phase.BACKWARD and not faults_of(without_op(graph, k))
        ]
    assert wrong == []
    assert graphs > 300
