"""Claim: gradients are compared with those of eager mode as rounding asks, nothing is excused."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from solver.errors import EngineError
from solver.pytorch.eager import eager_gradients, largest_error, run_anew

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:TF32 acceleration")]

NAN = float("nan")
HERE = Path(__file__)


def test_that_an_error_is_relative_to_the_largest_element_of_its_gradient() -> None:
    eager, ours = {"w": torch.tensor([4.0, 1.0])}, {"w": torch.tensor([4.0, 0.5])}
    assert largest_error(eager, ours) == 0.5 / 4.0


def test_that_a_gradient_of_rounding_alone_is_held_against_the_largest_of_all() -> None:
    eager = {"w": torch.tensor([2.0]), "bias": torch.tensor([1e-9])}
    ours = {"w": torch.tensor([2.0]), "bias": torch.tensor([3e-9])}
    assert largest_error(eager, ours) == pytest.approx(2e-9 / 2.0)


def test_that_what_is_no_number_in_both_is_equal_and_in_one_cannot_be_compared() -> None:
    eager = {"w": torch.tensor([NAN, 1.0])}
    assert largest_error(eager, {"w": torch.tensor([NAN, 1.0])}) == 0.0
    assert largest_error(eager, {"w": torch.tensor([0.0, 1.0])}) is None


def test_that_a_gradient_that_the_step_lacks_cannot_be_compared() -> None:
    assert largest_error({"w": torch.ones(1), "b": torch.ones(1)}, {"w": torch.ones(1)}) is None
    assert largest_error({}, {"w": torch.ones(1)}) == 0.0


class Changing(nn.Module):
    """Writes over its input and its buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.register_buffer("seen", torch.zeros(2))

    def forward(self, x: Tensor) -> Tensor:
        self.seen.add_(x.add_(1.0).mean(0))
        answer: Tensor = self.layer(x) * self.seen
        return answer


def test_that_a_run_leaves_buffers_and_batch_as_they_were() -> None:
    network, x = Changing(), torch.ones(3, 2)
    first, second = run_anew(network, (x,)), run_anew(network, (x,))
    assert torch.equal(first, second)
    assert torch.equal(x, torch.ones(3, 2))
    assert torch.equal(network.seen, torch.zeros(2))


def test_that_gradients_are_those_of_the_loss_from_the_seed_alone() -> None:
    network, batch = Changing(), [torch.ones(3, 2)]
    first = eager_gradients(network, batch, "sum", 7, HERE)
    again = eager_gradients(network, batch, "sum", 7, HERE)
    # x + 1 = 2 and seen = 2: the gradient of each weight is 3 rows * 2 * 2, of each bias 3 * 2
    assert torch.equal(first["layer.weight"], torch.full((2, 2), 12.0))
    assert torch.equal(again["layer.bias"], torch.full((2,), 6.0))


def test_that_a_network_that_fails_is_told_with_its_line() -> None:
    with pytest.raises(EngineError, match="eager backward failed: RuntimeError"):
        eager_gradients(Changing(), [torch.ones(3, 5)], "sum", 0, HERE)
