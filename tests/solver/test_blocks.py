"""Claim: blocks follow the scopes in names, or the cuts of the forward pass, and cover every op."""

import pytest

from solver.blocks import Blocks, Division, name_blocks
from solver.graph import TrainingGraph
from tests.helpers.builders import Line, chain, graph_of
from tests.helpers.networks import NetworkOf, graph_of_layer


def scoped(mark: str) -> TrainingGraph:
    """Two stages of three blocks each: a trained MatMul and five ReLUs, named by their scopes."""
    net, last = NetworkOf(x=(1, 4)).const("w", (4, 4)), "x"
    for s in range(2):
        for b in range(3):
            scope = f"{mark}s{s}{mark}b{b}{mark}".removeprefix(".")
            net.layer(f"{scope}fc", "MatMul", f"{last} w", (1, 4))
            last = f"{scope}fc"
            for k in range(5):
                net.layer(f"{scope}r{k}", "Relu", last, (1, 4))
                last = f"{scope}r{k}"
    return graph_of_layer(net.network())


def members(graph: TrainingGraph, blocks: Blocks) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in blocks.names}
    for op, block in zip(graph.ops, blocks.of_op, strict=True):
        found[blocks.names[block]].append(op.name)
    return found


@pytest.mark.parametrize("mark", [".", "/"])
def test_that_scopes_in_names_are_the_blocks_in_the_order_of_the_forward_pass(mark: str) -> None:
    blocks = name_blocks(scoped(mark))

    assert blocks.division is Division.NAMES
    assert blocks.names == (*(f"s{s}{mark}b{b}" for s in range(2) for b in range(3)), "loss")


def test_that_a_layer_and_its_gradients_are_in_one_block() -> None:
    found = members(graph := scoped("."), name_blocks(graph))["s1.b0"]

    assert found[:2] == ["s1.b0.fc", "s1.b0.r0"]
    assert found[-2:] == ["s1.b0.fc.weight_gradient", "s1.b0.fc.input_gradient"]
    assert len(found) == 6 + 7  # six layers; their input gradients and one weight gradient


def test_that_an_input_belongs_to_what_reads_it() -> None:
    assert members(graph := scoped("/"), name_blocks(graph))["s0/b0"][:2] == ["x", "/s0/b0/fc"]


def test_that_without_scopes_a_block_ends_where_one_tensor_leads_on() -> None:
    # f1 .. f12 in a chain, but f4 is read by f8 too: no end between f4 and f8
    lines = [Line("f1", "f", 4, 1.0)]
    lines += [
        Line(f"f{k}", "f", 4, 1.0, (f"f{k - 1}", "f4") if k == 8 else (f"f{k - 1}",))
        for k in range(2, 17)
    ]
    lines += [Line(f"b{k}", "b", 4, 1.0, (f"f{k}",)) for k in range(16, 0, -1)]
    blocks = name_blocks(graph := graph_of(lines))

    assert blocks.division is Division.CUTS
    assert blocks.names == ("f1 … f8", "f9 … f16")
    assert members(graph, blocks)["f9 … f16"][-1] == "b9"


def test_that_what_is_too_small_to_divide_is_one_block_and_not_useful() -> None:
    assert not name_blocks(chain(2)).useful
    assert name_blocks(chain(12)).useful


def test_that_a_tensor_is_in_the_block_of_what_makes_it() -> None:
    graph = scoped(".")
    blocks = name_blocks(graph)

    of_tensors = blocks.of_tensors(graph)

    assert blocks.names[of_tensors[graph.tensor_index["s0.b1.r3"]]] == "s0.b1"
    gradient = graph.tensor_index["s0.b1.r3.input_gradient"]
    assert blocks.names[of_tensors[gradient]] == "s0.b1"
