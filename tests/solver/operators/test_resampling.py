"""Another resolution: fixed sums keep nothing, points of a grid keep the points and the image."""

import pytest

from solver.errors import ModelError
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained


@pytest.mark.parametrize("op_type", ["Resize", "Upsample"])
@pytest.mark.parametrize(
    ("mode", "after", "forward", "backward"),
    [
        # 2 x 16 elements before, 2 x 64 after
        ("nearest", (1, 2, 8, 8), 128, 32 + 128),
        # four neighbours, a multiply-add each
        ("linear", (1, 2, 8, 8), 128 * 4 * 2, 32 + 128 * 4 * 2),
        # two neighbours where one axis grows: 2 x 32 elements after
        ("linear", (1, 2, 8, 4), 64 * 2 * 2, 32 + 64 * 2 * 2),
        ("cubic", (1, 2, 8, 8), 128 * 16 * 2, 32 + 128 * 16 * 2),
    ],
)
def test_that_resizing_keeps_nothing_and_costs_what_it_reads(
    op_type: str, mode: str, after: tuple[int, ...], forward: int, backward: int
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": (1, 2, 4, 4)}, after, mode=mode))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == forward
    assert op_named(graph, "it.input_gradient").flop == backward


def test_that_antialiasing_reads_as_much_more_as_the_image_shrinks() -> None:
    # 9 rows to 3: 2 neighbours x 9 / 3 = 6 rows; columns stay
    network = one_layer("Resize", {"x": (1, 2, 9, 4)}, (1, 2, 3, 4), mode="linear", antialias=1)
    assert op_named(graph_of_layer(network), "it").flop == 24 * 6 * 2


def test_that_a_way_to_resize_that_nobody_knows_is_told() -> None:
    network = one_layer("Resize", {"x": (1, 2, 4, 4)}, (1, 2, 8, 8), mode="lanczos")
    with pytest.raises(ModelError, match="layer it: mode 'lanczos' of Resize is none of nearest"):
        graph_of_layer(network)


@pytest.mark.parametrize(
    ("op_type", "after"), [("DepthToSpace", (1, 2, 4, 4)), ("SpaceToDepth", (1, 32, 1, 1))]
)
def test_that_rearranging_is_a_copy_there_and_back(op_type: str, after: tuple[int, ...]) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": (1, 8, 2, 2)}, after, blocksize=2))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == op_named(graph, "it.input_gradient").flop == 32


@pytest.mark.parametrize(
    ("mode", "gradient"),
    # 8 elements before, 32 after: zeros have no gradient, repeated elements have several
    [("constant", 8), ("edge", 8 + 32), ("reflect", 8 + 32), ("wrap", 8 + 32)],
)
def test_that_a_margin_keeps_nothing_and_repeated_elements_are_added_up(
    mode: str, gradient: int
) -> None:
    graph = graph_of_layer(one_layer("Pad", {"x": (1, 2, 2, 2)}, (1, 2, 4, 4), mode=mode))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == 32
    assert op_named(graph, "it.input_gradient").flop == gradient


def test_that_sampling_at_points_keeps_the_image_for_the_points_and_the_points_for_both() -> None:
    points = {"x": (1, 3, 4, 4), "grid": (1, 2, 5, 2)}
    graph = graph_of_layer(one_layer("GridSample", points, (1, 3, 2, 5), mode="linear"))
    image, grid = op_named(graph, "it.input_gradient.1"), op_named(graph, "it.input_gradient.2")
    assert image.inputs == ("loss.input_gradient", "grid")
    assert grid.inputs == ("loss.input_gradient", "x", "grid")
    assert op_named(graph, "it").flop == 30 * 4 * 2  # four neighbours
    assert image.flop == 48 + 30 * 4 * 2
    assert grid.flop == 30 * 2 * (4 + 1) * 2  # along two axes the slope, and its product with dy


def test_that_the_nearest_element_does_not_change_with_its_point() -> None:
    points = {"x": (1, 3, 4, 4), "grid": (1, 2, 5, 2)}
    graph = graph_of_layer(one_layer("GridSample", points, (1, 3, 2, 5), mode="nearest"))
    assert kept(graph) == {"grid"}
    assert "it.input_gradient.2" not in graph.op_index


def test_that_a_grid_of_matrices_keeps_nothing() -> None:
    net = NetworkOf()
    trained("theta", (1, 2, 3), net)
    net.const("size", (4,), "int64").layer("it", "AffineGrid", "theta size", (1, 4, 5, 2))
    graph = graph_of_layer(net.network())
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == op_named(graph, "it.input_gradient").flop == 40 * 3 * 2


def test_that_columns_are_added_up_and_copied_back() -> None:
    net = NetworkOf()
    trained("x", (1, 8, 9), net)
    net.const("image", (2,), "int64").const("block", (2,), "int64")
    graph = graph_of_layer(net.layer("it", "Col2Im", "x image block", (1, 2, 4, 4)).network())
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == 32 + 72
    assert op_named(graph, "it.input_gradient").flop == 72
