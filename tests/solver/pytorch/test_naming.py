"""Claim: ops and tensors of a traced step are called by module, operator and what they are."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.helpers.traced import INPUT, traced

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]


def test_that_forward_ops_bear_their_module_and_outputs_say_what_they_are() -> None:
    graph = traced("net", INPUT)
    outputs = {op.name: op.outputs for op in graph.ops}
    norm, drop, pool = "first.1.batch_norm", "drop.dropout", "second.0.max_pool2d"
    statistics = ("mean", "inverse_std", "running_mean", "running_var")
    assert outputs["first.0.convolution"] == ("first.0.convolution",)
    assert outputs[norm] == (norm, *(f"{norm}.{each}" for each in statistics))
    assert outputs["first.2.relu"] == ("first.2.relu",)
    assert outputs[drop] == (drop, f"{drop}.mask")
    assert outputs[pool] == (pool, f"{pool}.indices")
    assert outputs["mean"] == ("mean",)  # called by the network itself
    assert outputs["loss.nll_loss"] == ("loss.nll_loss", "loss.nll_loss.total_weight")


def test_that_gradients_are_named_by_their_parameter_or_by_the_op_they_are_of() -> None:
    graph = traced("net", INPUT)
    outputs = {op.name: op.outputs for op in graph.ops}
    weight, bias = "first.0.weight_gradient", "first.0.bias_gradient"
    assert outputs["first.0.convolution.gradient"] == (weight, bias)  # none of the input
    assert outputs["head.weight_gradient"] == ("head.weight_gradient",)
    assert outputs["drop.dropout.input_gradient"] == ("drop.dropout.input_gradient",)
    assert outputs["second.2.relu.input_gradient"] == ("second.2.relu.input_gradient",)  # in place
    assert not [name for name in outputs if name.startswith("getitem")]


def test_that_a_sum_of_partial_gradients_is_named_by_its_tensor(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.one, self.two = nn.Linear(8, 8), nn.Linear(8, 8)\n"
        "    def forward(self, x):\n"
        "        y = self.one(x)\n"
        "        return y + self.two(y)\n"
        "def net():\n"
        "    return Net()\n",
        encoding="utf-8",
    )
    graph = traced("net", "4x8", file=file)
    (summed,) = [op for op in graph.ops if op.name.startswith("add_gradient:")]
    assert summed.name == "add_gradient:one.addmm"
    assert summed.inputs == ("loss.log_softmax.input_gradient", "two.addmm.input_gradient")


def test_that_what_is_called_twice_is_numbered(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(
        "from torch import nn\n"
        "def net():\n"
        "    layer = nn.Linear(8, 8)\n"
        "    return nn.Sequential(layer, nn.Tanh(), layer)\n",
        encoding="utf-8",
    )
    names = [op.name for op in traced("net", "4x8", file=file).ops]
    assert names[:4] == ["input", "0.addmm", "1.tanh", "0.addmm~2"]
