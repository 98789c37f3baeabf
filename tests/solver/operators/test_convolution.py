"""Transposed and deformable convolutions: what they cost, and what their gradients read."""

import pytest

from tests.helpers.networks import graph_of_layer, one_layer, op_named


@pytest.mark.parametrize(
    ("source", "weight", "out", "products"),
    [
        # input elements x (out channels of a group x kernel): (2*4*4) * (3*2*2)
        ((1, 2, 4, 4), (2, 3, 2, 2), (1, 3, 8, 8), 32 * 12),
        # four groups: (4*3*3) * (1*3*3)
        ((1, 4, 3, 3), (4, 1, 3, 3), (1, 4, 5, 5), 36 * 9),
        # 1-D, batch 2: (2*3*5) * (4*4)
        ((2, 3, 5), (3, 4, 4), (2, 4, 8), 30 * 16),
        # 3-D: (2*2*2*2) * (1*2*2*2)
        ((1, 2, 2, 2, 2), (2, 1, 2, 2, 2), (1, 1, 4, 4, 4), 16 * 8),
    ],
)
def test_that_a_transposed_convolution_spreads_every_input_element_over_a_kernel(
    source: tuple[int, ...], weight: tuple[int, ...], out: tuple[int, ...], products: int
) -> None:
    graph = graph_of_layer(one_layer("ConvTranspose", {"x": source}, out, constants={"w": weight}))
    names = ("it", "it.weight_gradient", "it.input_gradient")
    assert [op_named(graph, name).flop for name in names] == [2 * products] * 3
    assert graph.forward_macs == 0  # which counts Conv, Gemm and MatMul


def test_that_a_transposed_convolution_keeps_its_input_for_its_weight_alone() -> None:
    constants = {"w": (2, 3, 2, 2), "b": (3,)}
    network = one_layer("ConvTranspose", {"x": (1, 2, 4, 4)}, (1, 3, 8, 8), constants=constants)
    graph = graph_of_layer(network)
    assert op_named(graph, "it").trainable == ("w", "b")
    assert op_named(graph, "it.weight_gradient").inputs == ("loss.input_gradient", "x")
    assert op_named(graph, "it.bias_gradient").inputs == ("loss.input_gradient",)
    assert op_named(graph, "it.bias_gradient").flop == 3 * 8 * 8
    assert op_named(graph, "it.input_gradient").inputs == ("loss.input_gradient",)


def test_that_a_deformable_convolution_samples_before_it_multiplies() -> None:
    # 2 channels, kernel 2 x 2, 3 x 3 positions: 72 samples; 3 filters: 27 * 8 products
    variables = {"x": (1, 2, 4, 4), "offset": (1, 8, 3, 3), "mask": (1, 4, 3, 3)}
    network = one_layer(
        "DeformConv",
        variables,
        (1, 3, 3, 3),
        constants={"w": (3, 2, 2, 2), "b": (3,)},
        order="x w offset b mask",
    )
    graph = graph_of_layer(network)
    samples, products = 72, 2 * 27 * 8
    assert op_named(graph, "it").flop == 9 * samples + products
    found = {
        name: op_named(graph, f"it.{name}")
        for name in ("weight_gradient", "input_gradient.1", "input_gradient.3", "input_gradient.5")
    }
    assert {name: op.inputs[1:] for name, op in found.items()} == {
        "weight_gradient": ("x", "offset", "mask"),
        "input_gradient.1": ("offset", "mask"),
        "input_gradient.3": ("x", "offset", "mask"),
        "input_gradient.5": ("x", "offset"),
    }
    assert found["input_gradient.1"].flop == products + 9 * samples
    assert found["input_gradient.3"].flop == products + 16 * samples
    assert op_named(graph, "it.bias_gradient").inputs == ("loss.input_gradient",)
