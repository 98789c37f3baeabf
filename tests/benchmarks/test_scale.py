"""Models of thousands of ops: read, priced, their plain schedule on screen, in seconds and MB."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import onnx
import pytest

from poet_gui.solving.prepare import prepare
from poet_gui.viewmodels.block_lanes import lanes_scene
from poet_gui.viewmodels.block_table import blocks_table
from poet_gui.viewmodels.memory import memory_curve
from solver.api import load_device, load_training_graph
from solver.graph_request import GraphRequest
from tests.helpers.onnx_models import floats, model_of, node, weight

pytestmark = pytest.mark.benchmark

CPU_S, RAM_BYTES = 5.0, 10**9


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred residual blocks in two stages: 704 nodes, above 2,000 ops of training."""
    nodes, stored, last = [], [], "x"
    for k in range(100):
        scope, skip = f"/s{k // 50}/s{k // 50}.{k % 50}/", last
        for j in (1, 2):
            stored += [weight(f"w{k}{j}_", 8, 8, 3, 3)]
            stored += [weight(f"{word}{k}{j}_", 8) for word in "psmv"]
            norms = " ".join(f"{word}{k}{j}_" for word in "psmv")
            nodes += [
                node("Conv", f"{last} w{k}{j}_", f"c{k}{j}_", pads=[1] * 4),
                node("BatchNormalization", f"c{k}{j}_ {norms}", f"n{k}{j}_"),
                node("Relu", f"n{k}{j}_", f"r{k}{j}_"),
            ]
            last = f"r{k}{j}_"
        nodes += [node("Add", f"{last} {skip}", f"y{k}_")]
        last = f"y{k}_"
        for part in nodes[-7:]:
            part.name = f"{scope}{part.output[0]}"
    model = model_of(nodes, [floats("x", 1, 8, 16, 16)], stored, outputs=(last,))
    file = tmp_path_factory.mktemp("scale") / "deep.onnx"
    onnx.save(model, file)
    return file


def test_that_the_command_line_takes_seconds_and_little_memory(path: Path) -> None:
    command = [sys.executable, "-m", "solver.cli", "graph", str(path), "--device", "rpi4"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{cpu_s:.2f} s of a core, {after.ru_maxrss / 1024:.0f} MiB")  # noqa: T201
    assert "forward" in shown
    assert cpu_s < CPU_S
    assert after.ru_maxrss * 1024 < RAM_BYTES


def test_that_the_window_has_its_picture_as_soon(path: Path) -> None:
    request = GraphRequest(str(path))
    device = load_device("rpi4")
    graph = load_training_graph(request).graph
    began = time.process_time()

    model = prepare(graph, device, request=request, source="", sha256=None, graph_key="")
    scene = lanes_scene(model.plain, by_block=False)
    blocks = lanes_scene(model.plain, by_block=True)
    rows = blocks_table(model.plain).rows
    memory_curve(model.plain)

    seconds = time.process_time() - began
    print(f"{len(graph.ops)} ops, {scene.lanes} lanes, {rows} blocks: {seconds:.2f} s")  # noqa: T201
    assert len(graph.ops) > 2000
    assert scene.lanes > 1500
    assert blocks.lanes == rows == 101  # a hundred blocks and the loss
    assert seconds < CPU_S / 5
