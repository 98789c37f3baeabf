"""Models and operator cases that the package onnx itself ships: imported as it says, or refused."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from solver.errors import EngineError
from solver.loaders.onnx_file import load_onnx
from solver.loaders.onnx_rules.table import LAYER_RULES
from solver.loaders.options import LoadOptions
from solver.operators.registry import RULES
from tests.helpers.onnx_models import LIGHT_FOLDER, load, shapes_of

_FOLDERS = ("pytorch-converted", "pytorch-operator", "simple")
_ONE_OPERATOR = sorted(
    path for folder in _FOLDERS for path in (LIGHT_FOLDER.parent / folder).glob("*/model.onnx")
)
_LIGHT = sorted(LIGHT_FOLDER.glob("light_*.onnx"))
# In the names of cases about element types that numpy lacks.
_SMALL_TYPES = ("UINT", "INT4", "INT2", "STRING", "string", "BFLOAT", "bfloat", "cast")
# In the names of cases whose number of classes is a float input, so no stored setting here.
_FLOAT_SETTINGS = ("onehot",)


def _expected_shapes(model: onnx.ModelProto) -> dict[str, tuple[int, ...]]:
    """What onnx's own shape inference says, where it says something whole."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    return {
        entry.name: tuple(dim.dim_value for dim in entry.type.tensor_type.shape.dim)
        for entry in (*inferred.value_info, *inferred.output)
        if entry.type.tensor_type.HasField("shape")
        and all(dim.HasField("dim_value") for dim in entry.type.tensor_type.shape.dim)
    }


def test_that_every_operator_that_loads_can_be_trained() -> None:
    assert set(LAYER_RULES) <= set(RULES)


@pytest.mark.parametrize("path", _LIGHT, ids=lambda path: path.stem)
def test_that_all_shapes_of_the_classic_networks_agree_with_onnx(path: Path) -> None:
    expected = _expected_shapes(onnx.load(path))
    # onnx does not follow Dropout's second output, the mask, in old operator sets.
    found = {k: v for k, v in shapes_of(load_onnx(path, LoadOptions())).items() if k in expected}
    assert len(found) > 20
    assert found == {name: expected[name] for name in found}


@pytest.mark.parametrize("path", _LIGHT, ids=lambda path: path.stem)
def test_that_a_batch_of_eight_reaches_every_tensor_of_the_classic_networks(path: Path) -> None:
    single = shapes_of(load_onnx(path, LoadOptions()))
    eight = shapes_of(load_onnx(path, LoadOptions(batch=8)))
    assert eight == {name: (8, *shape[1:]) for name, shape in single.items()}


def test_that_all_one_operator_models_import_or_are_refused_with_one_sentence() -> None:
    loaded, refusals = [], []
    for path in _ONE_OPERATOR:
        try:
            network = load_onnx(path, LoadOptions())
        except EngineError as error:
            refusals.append(error.issues)
            continue
        expected = _expected_shapes(onnx.load(path))
        found = shapes_of(network)
        assert found == found | {k: v for k, v in expected.items() if k in found}
        loaded.append(path)
    assert len(_ONE_OPERATOR) == 140
    assert all(len(issues) == 1 and issues[0].message for issues in refusals)
    # 27 Conv, 9 MaxPool, 7 AveragePool, 5 BatchNormalization, 4 Gemm, Linear without bias, ...
    assert len(loaded) > 75


def _as_stored(model: onnx.ModelProto, data: list[Any]) -> onnx.ModelProto:
    """The case with its integer vectors (a target shape, pads, axes) stored instead of fed."""
    stored = {}
    for entry, value in zip(model.graph.input, data, strict=False):
        if entry is not model.graph.input[0] and isinstance(value, np.ndarray):
            stored[entry.name] = numpy_helper.from_array(value, entry.name)
    kept = [entry for entry in model.graph.input if entry.name not in stored]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(stored.values())
    return model


def _operator_cases() -> Iterator[tuple[str, onnx.ModelProto, list[Any]]]:
    with warnings.catch_warnings():
        # onnx computes its cases while importing them, with numpy's warnings for inf and nan.
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases  # noqa: PLC0415 - slow to import

        cases = collect_testcases(None)
    for case in cases:
        if case.model is None or any(n.op_type not in LAYER_RULES for n in case.model.graph.node):
            continue
        inputs, outputs = case.data_sets[0]
        if any(isinstance(value, list | type(None)) for value in (*inputs, *outputs)):
            continue  # sequences and optionals
        if any(not np.asarray(value).size for value in inputs):
            continue  # a declared size of 0 means "unknown" in the files people have
        if any(word in case.name for word in (*_SMALL_TYPES, *_FLOAT_SETTINGS)):
            continue
        yield case.name, _as_stored(case.model, inputs), outputs


@pytest.mark.slow
def test_that_operator_cases_of_onnx_have_the_shapes_and_types_of_its_reference_results(
    tmp_path: Path,
) -> None:
    checked = 0
    for name, model, outputs in _operator_cases():
        try:
            network = load(model, tmp_path)
        except EngineError as error:
            pytest.fail(f"{name}: {error}")
        results = {
            entry.name: value for entry, value in zip(model.graph.output, outputs, strict=True)
        }
        for output in network.outputs:
            value = network.values[output]
            assert (name, value.shape) == (name, results[output].shape)
            assert (name, value.dtype) == (name, str(results[output].dtype))
            checked += 1
    assert checked > 1000
