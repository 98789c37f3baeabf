"""Claim: where one tensor sets the floor, the warning names it and the setting that changes it."""

from dataclasses import replace

import pytest

from poet_gui.viewmodels.floor_warning import floor_warning
from solver import api
from solver.costs import CostedGraph, price
from solver.graph import Accounting, GraphSettings, Role, TrainingGraph, WeightGradients, Weights
from solver.graph_request import GraphRequest
from tests.helpers.builders import Line, device_of, graph_of


def costed(model: str, **settings: object) -> CostedGraph:
    request = GraphRequest(model, **settings)  # type: ignore[arg-type] # settings of the request
    return price(api.load_training_graph(request).graph, api.load_device("nrf52840"))


def with_role(graph: TrainingGraph, name: str, role: Role, settings: GraphSettings) -> CostedGraph:
    tensors = tuple(
        replace(tensor, role=role) if tensor.name == name else tensor for tensor in graph.tensors
    )
    return price(replace(graph, tensors=tensors, settings=settings), device_of())


BIG_GRADIENT = graph_of(
    [
        Line("f", "f", 100, 1.0),
        Line("loss", "f", 10, 1.0, ("f",)),
        Line("w", "b", 900, 1.0, ("loss", "f")),
        Line("b", "b", 100, 1.0, ("loss", "f")),
    ]
)
"""Floor: w reads 10 + 100 B and makes 900 B = 1010 B; without its output, b's 210 B."""


def test_that_a_buffered_weight_gradient_names_the_setting_and_what_it_brings() -> None:
    settings = GraphSettings(weight_gradients=WeightGradients.BUFFERED)

    warning = floor_warning(with_role(BIG_GRADIENT, "w", Role.WEIGHT_GRADIENT, settings))

    assert warning is not None
    assert warning.title == "w (900 B) sets the floor"
    assert "The floor is 1010 B" in warning.text
    assert "“applied at once”" in warning.text
    assert warning.text.endswith("lower the floor to 210 B.")


def test_that_no_setting_is_named_where_the_file_leaves_none_to_choose() -> None:
    settings = GraphSettings(Accounting.GIVEN, weight_gradients=WeightGradients.BUFFERED)

    warning = floor_warning(with_role(BIG_GRADIENT, "w", Role.WEIGHT_GRADIENT, settings))

    assert warning is not None
    assert warning.text.endswith("with less, nothing works.")


def test_that_what_the_setting_brings_is_true() -> None:
    warning = floor_warning(costed("resnet18_cifar", weight_gradients=WeightGradients.BUFFERED))

    assert warning is not None
    assert warning.text.endswith("lower the floor to 768 KiB.")
    assert costed("resnet18_cifar").floor_bytes == 786944  # 768.5 KiB


def test_that_resident_weights_are_named() -> None:
    warning = floor_warning(costed("resnet18_cifar", weights=Weights.RESIDENT))

    assert warning is not None
    assert warning.title == "Fixed bytes of 42.7 MiB set the floor"
    assert "Weights “not counted” (Model) lower the floor by 42.7 MiB." in warning.text


@pytest.mark.parametrize(
    ("batch", "words"), [(4, "A batch (Model) smaller than 4"), (1, "a smaller input or network")]
)
def test_that_a_large_activation_names_the_batch(batch: int, words: str) -> None:
    settings = GraphSettings(batch=batch)

    warning = floor_warning(with_role(BIG_GRADIENT, "w", Role.ACTIVATION, settings))

    assert warning is not None
    assert words in warning.text


@pytest.mark.parametrize("model", ["resnet18_cifar", "vgg16_cifar"])
def test_that_there_is_no_warning_where_no_tensor_stands_out(model: str) -> None:
    assert floor_warning(costed(model)) is None
