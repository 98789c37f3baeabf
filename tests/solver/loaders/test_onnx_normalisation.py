"""Shapes and settings of the normalisations of layers, groups, instances and vectors."""

from pathlib import Path
from typing import Any

import onnx
import pytest

from solver.errors import ModelError
from solver.network import Network
from tests.helpers.onnx_models import floats, load, model_of, node, weight


def network_of(
    folder: Path,
    kind: str,
    x: tuple[int, ...],
    *stored: onnx.TensorProto,
    opset: int = 23,
    outputs: str = "y",
    **attributes: Any,
) -> Network:
    names = " ".join(["x", *(tensor.name for tensor in stored)])
    nodes = [node(kind, names, outputs, **attributes)]
    return load(model_of(nodes, [floats("x", *x)], stored, opset=opset), folder)


def test_that_a_layer_normalisation_may_name_its_statistics(tmp_path: Path) -> None:
    scale, bias = weight("s", 3, 4), weight("b", 4)
    network = network_of(
        tmp_path, "LayerNormalization", (2, 3, 4), scale, bias, outputs="y mean deviation", axis=1
    )
    assert [network.values[name].shape for name in ("y", "mean", "deviation")] == [
        (2, 3, 4), (2, 1, 1), (2, 1, 1),
    ]  # fmt: skip
    assert network.layers[0].attributes["axis"] == 1


@pytest.mark.parametrize("kind", ["RMSNormalization", "SimplifiedLayerNormalization"])
def test_that_a_root_mean_square_is_over_the_last_axis_unless_told(
    kind: str, tmp_path: Path
) -> None:
    network = network_of(tmp_path, kind, (2, 3, 4), weight("s", 4))
    assert network.values["y"].shape == (2, 3, 4)
    assert network.layers[0].attributes["axis"] == 2


def test_that_a_scale_that_does_not_fit_is_told(tmp_path: Path) -> None:
    for kind in ("LayerNormalization", "RMSNormalization"):
        with pytest.raises(ModelError, match="shapes 2x3x4 and 5 do not match"):
            network_of(tmp_path, kind, (2, 3, 4), weight("s", 5))
        with pytest.raises(ModelError, match="scale 2x4 does not fit into 1x4"):
            network_of(tmp_path, kind, (1, 4), weight("s", 2, 4))


def test_that_each_channel_has_a_scale_and_a_bias_of_its_own(tmp_path: Path) -> None:
    constants = weight("s", 3), weight("b", 3)
    network = network_of(tmp_path, "InstanceNormalization", (2, 3, 4, 5), *constants)
    assert network.values["y"].shape == (2, 3, 4, 5)
    with pytest.raises(ModelError, match="bias is 4, the input has 3 channels"):
        network_of(tmp_path, "InstanceNormalization", (2, 3, 4), weight("s", 3), weight("b", 4))


@pytest.mark.parametrize(("opset", "size"), [(18, 2), (21, 6)])
def test_that_groups_had_a_scale_each_before_channels_did(
    opset: int, size: int, tmp_path: Path
) -> None:
    constants = weight("s", size), weight("b", size)
    network = network_of(
        tmp_path, "GroupNormalization", (1, 6, 4), *constants, opset=opset, num_groups=2
    )
    assert network.values["y"].shape == (1, 6, 4)
    assert network.layers[0].attributes["num_groups"] == 2


def test_that_channels_must_make_whole_groups(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="6 channels cannot be divided into 4 groups"):
        network_of(
            tmp_path, "GroupNormalization", (1, 6, 4), weight("s", 6), weight("b", 6), num_groups=4
        )


def test_that_vectors_are_normalised_by_one_of_two_norms(tmp_path: Path) -> None:
    network = network_of(tmp_path, "LpNormalization", (2, 3), p=1)
    assert dict(network.layers[0].attributes) == {"axis": 1, "p": 1}
    with pytest.raises(ModelError, match="p is 3, not 1 or 2"):
        network_of(tmp_path, "LpNormalization", (2, 3), p=3)


def test_that_all_axes_but_the_channels_are_normalised_unless_told(tmp_path: Path) -> None:
    network = network_of(tmp_path, "MeanVarianceNormalization", (2, 3, 4, 5))
    assert network.layers[0].attributes["axes"] == (0, 2, 3)
    with pytest.raises(ModelError, match="axis 2 does not exist in 2 dimensions"):
        network_of(tmp_path, "MeanVarianceNormalization", (2, 3))
