"""Claim: a module is traced as PyTorch itself trains it, and what cannot be traced is told."""

import math
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from solver.errors import EngineError, UsageError
from solver.graph import Role
from solver.loaders.options import LoadOptions
from solver.loaders.poet_graph import load
from tests.helpers.traced import FILE as RECORDED
from tests.helpers.traced import MODULE as FILE
from tests.helpers.traced import traced

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]


def test_that_the_recorded_graph_is_what_is_traced_now() -> None:
    recorded = load(RECORDED, LoadOptions())
    now = traced("net", "4x3x8x8")
    assert [op.name for op in now.ops] == [op.name for op in recorded.ops]
    assert now.tensors == recorded.tensors
    assert now.ops == recorded.ops


def test_that_sizes_and_work_are_those_of_the_network() -> None:
    graph = traced("net", "4x3x8x8")
    sizes = {tensor.name: tensor.bytes for tensor in graph.tensors}
    assert sizes["input"] == 4 * 3 * 8 * 8 * 4
    assert sizes["first.0.convolution"] == 4 * 8 * 8 * 8 * 4
    macs = 4 * (8 * 8 * 8 * 3 * 9 + 2 * 2 * 16 * 8 * 9 + 10 * 16)
    assert graph.forward_macs == macs
    parameters = sum(math.prod(p.shape) for p in _network().parameters())
    assert graph.trainable_bytes == 4 * parameters
    assert {t.role for t in graph.tensors} >= {Role.MASK, Role.INDICES, Role.STATISTICS}


def _network() -> nn.Module:
    namespace: dict[str, object] = {}
    exec(compile(FILE.read_text(encoding="utf-8"), FILE, "exec"), namespace)
    made = namespace["net"]
    assert callable(made)
    network = made()
    assert isinstance(network, nn.Module)
    return network


def test_that_example_inputs_may_come_from_the_factory() -> None:
    graph = traced("with_example")
    assert {t.name: t.shape for t in graph.tensors}["input"] == (2, 3, 8, 8)


def test_that_the_same_trace_is_the_same() -> None:
    assert traced("net", "4x3x8x8") == traced("net", "4x3x8x8")


@pytest.mark.parametrize("loss", ["mse", "sum"])
def test_that_other_losses_are_traced(loss: str) -> None:
    graph = traced("net", "2x3x8x8", loss=loss)
    labels = [tensor for tensor in graph.tensors if tensor.role is Role.LABEL]
    assert [tensor.shape for tensor in labels] == ([(2, 10)] if loss == "mse" else [])


@pytest.mark.parametrize(
    ("factory", "inputs", "told"),
    [
        ("number", ("1x3x8x8",), "returns int"),
        ("broken", ("1x3x8x8",), "ValueError: no weights today"),
        ("net", (), "says nothing of its inputs"),
        ("net", ("1x4x8x8",), "cannot be traced: RuntimeError"),
        ("nett", ("1x3x8x8",), "did you mean net"),
    ],
)
def test_that_what_cannot_be_traced_is_told(
    factory: str, inputs: tuple[str, ...], told: str
) -> None:
    with pytest.raises(EngineError, match=told):
        traced(factory, *inputs)


def test_that_the_line_of_the_users_own_error_is_named() -> None:
    line = FILE.read_text(encoding="utf-8").splitlines().index(
        '    raise ValueError("no weights today")'
    )  # fmt: skip
    with pytest.raises(EngineError, match=rf"small_net\.py:{line + 1}: broken\(\) failed"):
        traced("broken", "1x3x8x8")


def test_that_an_unknown_loss_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown loss"):
        traced("net", "1x3x8x8", file=tmp_path / "nothing.py", loss="huber")


def test_that_weights_that_lead_nowhere_are_no_hindrance(tmp_path: Path) -> None:
    file = tmp_path / "idle.py"
    file.write_text(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.used, self.idle = nn.Linear(4, 3), nn.Linear(4, 3)\n"
        "    def forward(self, x):\n"
        "        return self.used(x)\n"
        "def net():\n"
        "    return Net()\n",
        encoding="utf-8",
    )
    graph = traced("net", "2x4", file=file)
    assert {item.name for item in graph.trainable} == {"used.weight", "used.bias"}
    assert "2 parameters get no gradient" in graph.warnings[0]


def test_that_a_network_without_weights_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.py"
    file.write_text("from torch import nn\ndef net():\n    return nn.ReLU()\n", encoding="utf-8")
    with pytest.raises(EngineError, match="nothing to train"):
        traced("net", "2x4", file=file)


def test_that_pytorch_takes_the_gradients_that_are_named() -> None:
    program = traced("net", "4x3x8x8").program
    assert program is not None
    assert set(program.gradients) == {name for name, _ in _network().named_parameters()}
    assert program.torch == str(torch.__version__)


def written(folder: Path, text: str) -> Path:
    file = folder / "nets.py"
    file.write_text("import torch\nfrom torch import nn\n" + text, encoding="utf-8")
    return file


def test_that_a_module_that_exits_is_told_and_ends_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, "raise SystemExit(0)\n")
    with pytest.raises(EngineError, match=r"cannot be imported: SystemExit") as told:
        traced("net", "1x8", file=file)
    assert told.value.issues[0].where == f"{file}:3"


BRANCH = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.large, self.head = torch.ones(2000, 4, 3), nn.Linear(8, 3)

    def forward(self, x):
        return BODY

def net():
    return Net()
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("self.head(x) if x.sum() > 0 else x", "may not depend on the values of tensors"),
        ("self.head(x[x[:, 0] > 0])", "may not depend on the values of tensors"),
        ("self.head(x) * self.large", "register_buffer"),
        ("self.head(x) * self.head.weight.data.clamp_(-1, 1).sum()", "change it after the step"),
        ("torch.cond(x.sum() > 0, self.head, self.head, (x,))", "cannot be traced: write out"),
    ],
)
def test_that_what_needs_data_is_told_with_the_way_out(
    tmp_path: Path, body: str, told: str
) -> None:
    file = written(tmp_path, BRANCH.replace("BODY", body))
    with pytest.raises(EngineError) as error:
        traced("net", "4x8", file=file)
    assert told in str(error.value.issues[0])


def test_that_inputs_beyond_any_machine_are_told() -> None:
    with pytest.raises(UsageError, match="an input of 999999999999999999x3x8x8"):
        traced("net", "999999999999999999x3x8x8")


def test_that_a_dropout_that_tracing_would_lose_is_told(tmp_path: Path) -> None:
    file = tmp_path / "stacked.py"
    file.write_text(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.states = nn.GRU(8, 16, num_layers=2, dropout=0.2)\n"
        "        self.scores = nn.Linear(16, 3)\n"
        "    def forward(self, x):\n"
        "        return self.scores(self.states(x)[0]).flatten(0, 1)\n"
        "def net():\n"
        "    return Net()\n",
        encoding="utf-8",
    )
    with pytest.raises(
        EngineError, match=r"loses the dropout between the layers of states \(GRU\)"
    ):
        traced("net", "2x3x8", file=file)


def test_that_tracing_computes_nothing_on_inputs_of_any_size() -> None:
    # 256 GiB of activations after the first convolution: 8 channels of 4 B for each of 2**33 pixels
    graph = traced("net", "2097152x3x64x64")
    sizes = {tensor.name: tensor.bytes for tensor in graph.tensors}
    assert sizes["first.0.convolution"] == 2**33 * 8 * 4


def test_that_a_small_tensor_of_the_module_is_a_constant_of_the_step(tmp_path: Path) -> None:
    file = written(
        tmp_path, BRANCH.replace("BODY", "self.head(x) * self.large").replace("2000, 4, 3", "3")
    )
    program = traced("net", "4x8", file=file).program
    assert program is not None
    assert {tuple(constant.data) for constant in program.constants} == {(1.0, 1.0, 1.0)}


COMPILED = "def net():\n    return torch.compile(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))\n"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what PyTorch imports to compile
def test_that_a_compiled_network_is_traced_as_what_it_was_made_of(tmp_path: Path) -> None:
    graph = traced("net", "4x8", file=written(tmp_path, COMPILED))
    assert {item.name for item in graph.trainable} == {"0.weight", "0.bias"}


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("torch.jit.script(nn.Linear(8, 3))", "holds TorchScript"),
        ("nn.Sequential(nn.LazyLinear(3))", "0.weight has no size yet"),
        ("nn.Linear(8, 3, device='meta')", "weight is on the device meta"),
        ("hooked()", "weight has a hook on its gradient"),
        (
            "nn.Sequential(nn.Linear(8, 3), nn.BatchNorm1d(3, momentum=None))",
            "1 averages the statistics of all steps",
        ),
        ("nn.EmbeddingBag(10, 8)", "other sizes than it makes"),
        ("nn.Sequential(nn.Embedding(10, 3, sparse=True), nn.Flatten())", "sparse"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # what PyTorch has to say of TorchScript and lazy layers
def test_that_networks_that_cannot_be_traced_are_told_before(
    tmp_path: Path, made: str, told: str
) -> None:
    hooked = (
        "def hooked():\n    m = nn.Linear(8, 3)\n    m.weight.register_hook(abs)\n    return m\n"
    )
    file = written(tmp_path, f"{hooked}def net():\n    return {made}\n")
    inputs = "2x6<10" if "Embedding" in made else "2x8"
    with pytest.raises(EngineError, match=told):
        traced("net", inputs, file=file)
