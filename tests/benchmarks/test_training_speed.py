"""How long differentiation takes: it must not be felt when a model is opened."""

import time

import pytest

from solver.training import expand
from tests.helpers.networks import NetworkOf


def deep(blocks: int) -> NetworkOf:
    """`blocks` times convolution, norm, rectifier and a sum with everything joined before."""
    shape = (1, 4, 8, 8)
    net = NetworkOf(image=shape)
    last = "image"
    for k in range(blocks):
        net.const(f"w{k}", (4, 4, 3, 3)).layer(f"conv{k}", "Conv", f"{last} w{k}", shape)
        for word in ("scale", "bias", "mean", "variance"):
            net.const(f"{word}{k}", (4,))
        constants = " ".join(f"{word}{k}" for word in ("scale", "bias", "mean", "variance"))
        net.layer(f"norm{k}", "BatchNormalization", f"conv{k} {constants}", shape)
        net.layer(f"relu{k}", "Relu", f"norm{k}", shape)
        last = net.layer(f"add{k}", "Add", f"relu{k} {last}", shape).layers[-1].name
    return net


@pytest.mark.benchmark
def test_that_differentiation_takes_time_in_proportion_to_the_layers() -> None:
    seconds = {}
    for blocks in (100, 1000):
        network = deep(blocks).network()
        start = time.perf_counter()
        graph = expand(network)
        seconds[blocks] = time.perf_counter() - start
        rate = len(graph.ops) / seconds[blocks]
        print(f"{len(graph.ops)} ops in {seconds[blocks]:.3f} s ({rate:.0f} ops/s)")  # noqa: T201
    # 0.07 s and 0.85 s on two busy cores; a quadratic scan would take minutes for the second.
    assert seconds[100] < 0.5
    assert seconds[1000] < 5
