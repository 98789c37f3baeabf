"""A small network for tracing: convolution, running statistics, dropout, in-place ReLU, pool."""

import torch
from torch import nn


class Net(nn.Module):
    """Two convolutions with batch norm, a dropout between them, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.drop = nn.Dropout(0.3)
        self.second = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(inplace=True))
        self.head = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scores of ten classes."""
        return self.head(self.second(self.drop(self.first(x))).mean((2, 3)))


def net() -> nn.Module:
    """The network alone: its inputs are given with --input."""
    return Net()


def with_example() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """The network and an example input."""
    return Net(), (torch.ones(2, 3, 8, 8),)


def number() -> int:
    """No network at all."""
    return 3


def broken() -> nn.Module:
    """Fails while it is made."""
    raise ValueError("no weights today")
