"""Claim: layer code makes the built-in networks exactly as the released code counts them."""

import json
from pathlib import Path
from typing import Any

import pytest

from solver.costs import price
from solver.device_files import load_device
from solver.errors import UsageError
from solver.graph import Accounting, Phase, Role, TrainingGraph
from solver.zoo.poet_linear import linear
from solver.zoo.registry import accountings_of, build_network, build_poet_graph, builtin_names

REFERENCE = Path(__file__).parents[2] / "data" / "reference"
WITH_REFERENCE = ("linear", "vgg16", "vgg16_cifar", "resnet18", "resnet18_cifar", "transformer")
RELEASED = (*WITH_REFERENCE, "resnet50", "bert")


def reference(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((REFERENCE / f"{name}.json").read_text())
    return document


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_that_every_op_equals_the_released_one_in_order(name: str) -> None:
    graph, expected = build_poet_graph(name), reference(name)["nodes"]
    assert [
        {
            "phase": op.phase.value,
            "inputs": list(graph.op_inputs[k]),
            "shape": list(tensor.shape or ()),
            "bytes": tensor.bytes,
            "flop": op.flop,
        }
        for k, (op, tensor) in enumerate(zip(graph.ops, graph.tensors, strict=True))
    ] == [
        {key: node[key] for key in ("phase", "inputs", "shape", "bytes", "flop")}
        for node in expected
    ]


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_that_bytes_of_activations_and_parameters_equal_the_released_ones(name: str) -> None:
    graph, expected = build_poet_graph(name), reference(name)
    assert graph.forward_bytes == expected["forward_bytes"]
    assert graph.weight_bytes == expected["parameter_bytes"]
    assert graph.trainable_bytes == sum(constant.bytes for constant in graph.trainable)
    assert graph.trainable_bytes <= graph.weight_bytes


@pytest.mark.parametrize("device_id", ["m0", "m4", "a72", "a72nocache"])
@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_that_the_totals_on_every_board_equal_the_released_ones(name: str, device_id: str) -> None:
    graph, expected = build_poet_graph(name), reference(name)["totals"][device_id]
    costed = price(graph, load_device(device_id))
    forward = [i for i, k in enumerate(graph.producer) if graph.ops[k].phase is Phase.FORWARD]
    assert costed.baseline_energy_j == pytest.approx(expected["energy_j"], rel=1e-9)
    assert costed.baseline_runtime_s == pytest.approx(expected["runtime_s"], rel=1e-9)
    assert costed.page_in_j[forward].sum() == pytest.approx(
        expected["page_in_all_forward_j"], rel=1e-9
    )
    assert costed.page_out_j[forward].sum() == pytest.approx(
        expected["page_out_all_forward_j"], rel=1e-9
    )


@pytest.mark.parametrize("name", ["bert", "resnet50"])
def test_that_networks_without_reference_cost_what_others_measured(name: str) -> None:
    rows = json.loads((REFERENCE / "bench.json").read_text())["rows"]
    baseline_j = {
        row["baseline_j"] for row in rows if (row["network"], row["device"]) == (name, "nrf52840")
    }
    costed = price(build_poet_graph(name), load_device("nrf52840"))
    assert len(baseline_j) == 1
    assert costed.baseline_energy_j == pytest.approx(baseline_j.pop(), rel=1e-9)


def test_that_resnet50_and_bert_have_the_ops_that_their_layer_lists_make() -> None:
    # ResNet-50: input, conv, norm, pool, 16 blocks of 10, pool, flatten, linear, loss: 168.
    assert len(build_poet_graph("resnet50").ops) == 168 + 167
    # BERT: input, 12 blocks of 8, loss = 98 forward, and one gradient per neighbouring pair.
    assert len(build_poet_graph("bert").ops) == 98 + 97


def test_that_another_width_of_linear_goes_through_the_same_layer_code() -> None:
    graph = linear((5, 3), inputs=7)
    # input 7; linear (7+1)*5=40 parameters, 2*40+5=85 FLOP; relu 5; linear (5+1)*3=18, 39; relu 3;
    # loss 3*3=9 over 3 classes. Gradients: twice the FLOP of layers 4..0 in reverse.
    assert [op.flop for op in graph.ops] == [0, 85, 5, 39, 3, 9, 6, 78, 10, 170, 0]
    # Shaped like the later layer of each pair: loss, relu, linear, relu, linear.
    assert [tensor.shape for tensor in graph.tensors] == [
        (1, 7), (1, 5), (1, 5), (1, 3), (1, 3), (3,), (3,), (1, 3), (1, 3), (1, 5), (1, 5),
    ]  # fmt: skip
    assert graph.op_inputs == (
        (), (0,), (1,), (2,), (3,), (4,), (4, 5), (3, 4, 6), (2, 3, 7), (1, 2, 8), (0, 1, 9),
    )  # fmt: skip
    assert graph.forward_bytes == 4 * (7 + 5 + 5 + 3 + 3 + 3)
    assert graph.weight_bytes == graph.trainable_bytes == 4 * (40 + 18)
    assert graph.forward_macs == 7 * 5 + 5 * 3


def released_rules(graph: TrainingGraph) -> None:
    forward = [op for op in graph.ops if op.phase is Phase.FORWARD]
    assert all(op.recomputable for op in forward)
    assert not any(op.recomputable for op in graph.ops if op.phase is Phase.BACKWARD)
    assert not any(tensor.in_storage_at_start for tensor in graph.tensors)
    assert all(tensor.bytes > 0 for tensor in graph.tensors)  # views are copies
    assert all(len(set(op.inputs)) == len(op.inputs) for op in graph.ops)


@pytest.mark.parametrize("name", RELEASED)
def test_that_forward_ops_may_run_again_and_gradients_may_not(name: str) -> None:
    graph = build_poet_graph(name)
    released_rules(graph)
    assert graph.ops[0].flop == 0
    assert graph.tensors[0].role is Role.INPUT
    assert graph.settings.accounting is Accounting.POET
    assert graph.settings.batch == 1


@pytest.mark.parametrize("name", RELEASED)
def test_that_the_loss_is_read_once_by_the_first_gradient(name: str) -> None:
    graph = build_poet_graph(name)
    first = graph.ops[graph.first_backward]
    assert graph.loss_tensors == graph.ops[graph.first_backward - 1].outputs
    assert first.inputs == (
        graph.ops[graph.first_backward - 2].outputs[0],
        *graph.loss_tensors,
    )


@pytest.mark.parametrize("name", RELEASED)
def test_that_every_trainable_has_a_gradient(name: str) -> None:
    graph = build_poet_graph(name)
    made = {target for op in graph.ops for target in op.gradient_of}
    assert {constant.name for constant in graph.trainable} <= made


def test_that_batch_norm_statistics_are_weights_but_not_trainable() -> None:
    graph = build_poet_graph("resnet18_cifar")
    # Norms: one of 16; three per block of 16, 16, 32, 32, 64, 64. Two statistics of 4 B a channel.
    channels = 16 + 3 * (2 * 16 + 2 * 32 + 2 * 64)
    assert graph.weight_bytes - graph.trainable_bytes == 8 * channels


def test_that_an_unknown_network_is_wrong_usage_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"did you mean resnet18\?"):
        build_poet_graph("resnet81")
    with pytest.raises(UsageError, match="one of: linear"):
        build_network("qqqqqqq", 1)


def test_that_networks_of_one_accounting_say_which() -> None:
    only = [name for name in builtin_names() if accountings_of(name) == (Accounting.POET,)]
    assert only == ["linear"]
    with pytest.raises(UsageError, match="--accounting poet"):
        build_network("linear", 1)
    with pytest.raises(UsageError, match="the released code does not have unet"):
        build_poet_graph("unet")
    with pytest.raises(UsageError, match="batch is 0"):
        build_network("resnet18", 0)
