"""Small networks of the kinds that are easily traced wrong: each factory gives one and a batch."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

Made = tuple[nn.Module, tuple[Tensor, ...]]
"""A network and a batch for it."""


class _Twice(nn.Module):
    """One layer called twice, with different sizes before and behind."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.scores = nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.scores(self.layer(torch.relu(self.layer(x))))


def called_twice() -> Made:
    """Shared weights."""
    return _Twice(), (torch.randn(8, 16),)


class _Averaged(_Twice):
    """A buffer that the forward pass writes into, and a count of the runs."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", torch.zeros(16))
        self.register_buffer("runs", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        states = torch.tanh(self.layer(x))
        self.average.mul_(0.9).add_(states.detach().mean(0), alpha=0.1)
        self.runs += 1
        return self.scores(states - self.average)


def writes_buffers() -> Made:
    """Buffers updated in the forward pass, and read there."""
    return _Averaged(), (torch.randn(8, 16),)


class _Expanded(_Twice):
    """A buffer whose elements share their place in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.ones(1, 16).expand(8, 16))

    def forward(self, x: Tensor) -> Tensor:
        return self.scores(torch.relu(self.layer(x * self.mask)))


def expanded_buffer() -> Made:
    """A buffer that cannot be written into."""
    return _Expanded(), (torch.randn(8, 16),)


class _Checkpointed(_Twice):
    """A part with dropout that PyTorch's own checkpointing runs again."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.Dropout(0.5), nn.GELU(), nn.Linear(64, 16))

    def forward(self, x: Tensor) -> Tensor:
        return self.scores(checkpoint(self.body, self.layer(x), use_reentrant=False))


def checkpointed() -> Made:
    """A checkpointed part."""
    return _Checkpointed(), (torch.randn(8, 16),)


def drops_all() -> Made:
    """Dropout of everything."""
    layers = nn.Linear(16, 32), nn.Dropout(1.0), nn.ReLU(), nn.Linear(32, 4)
    return nn.Sequential(*layers), (torch.randn(8, 16),)


class _Spectrum(_Twice):
    """Complex numbers on the way."""

    def forward(self, x: Tensor) -> Tensor:
        spectrum = torch.fft.fft(self.layer(x))
        return self.scores((spectrum * spectrum.conj()).real)


def complex_values() -> Made:
    """A Fourier transform."""
    return _Spectrum(), (torch.randn(8, 16),)


class _Tokens(nn.Module):
    """Whole numbers in, one of which stands for nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.scores = nn.Embedding(20, 16, padding_idx=0), nn.Linear(16, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores(self.table(tokens).mean(1))


def padded_tokens() -> Made:
    """An embedding with padding."""
    return _Tokens(), (torch.randint(0, 20, (4, 7)),)


class _Attention(nn.Module):
    """PyTorch's own attention, with dropout in it."""

    def __init__(self) -> None:
        super().__init__()
        self.joined, self.scores = nn.Linear(32, 96), nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        query, key, value = self.joined(x).reshape(batch, length, 3, 4, 8).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, dropout_p=0.1)
        return self.scores(seen.transpose(1, 2).reshape(batch, length, width).mean(1))


def attention() -> Made:
    """Scaled dot product attention."""
    return _Attention(), (torch.randn(2, 16, 32),)


class _Several(nn.Module):
    """Numbers, whole numbers and truth values."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.table = nn.Linear(8, 16), nn.Embedding(10, 16)

    def forward(self, x: Tensor, kinds: Tensor, chosen: Tensor) -> Tensor:
        return torch.where(chosen, torch.relu(self.layer(x)) * self.table(kinds), self.layer(x))


def several_inputs() -> Made:
    """Three inputs of three types."""
    return _Several(), (torch.randn(6, 8), torch.randint(0, 10, (6,)), torch.rand(6, 16) > 0.5)


class _OwnLoss(nn.Module):
    """Takes output and target itself; a part of it is not trained."""

    def __init__(self) -> None:
        super().__init__()
        self.fixed, self.layer = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        with torch.no_grad():
            x = self.fixed(x)
        return functional.smooth_l1_loss(self.layer(x), target)


def own_loss() -> Made:
    """A loss of its own, and a part without gradients."""
    return _OwnLoss(), (torch.randn(6, 8), torch.randn(6, 4))


class _InPlace(nn.Module):
    """Writes over what it has just made, in whole and in part, and over its input."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.act, self.scores = nn.ReLU(inplace=True), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        states = self.act(self.norm(self.layer(x.add_(1)))) * 1.5
        states += 1
        states[:, :4] *= 2
        return self.scores(states.mean((2, 3)))


def in_place() -> Made:
    """In-place operators."""
    return _InPlace(), (torch.randn(4, 3, 8, 8),)


def _images(dtype: torch.dtype = torch.float32) -> nn.Sequential:
    layers = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 4)
    return nn.Sequential(*layers).to(dtype)


def channels_last() -> Made:
    """Channels innermost in memory."""
    batch = torch.randn(4, 3, 8, 8).to(memory_format=torch.channels_last)
    return _images().to(memory_format=torch.channels_last), (batch,)


def float64() -> Made:
    """Double precision."""
    return _images(torch.float64), (torch.randn(4, 3, 8, 8, dtype=torch.float64),)


def bfloat16() -> Made:
    """Brain floating point."""
    return _images(torch.bfloat16), (torch.randn(4, 3, 8, 8, dtype=torch.bfloat16),)


class _Solved(nn.Module):
    """Linear algebra, which checks what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        made = self.layer(x)
        square = made @ made.transpose(1, 2) + torch.eye(4)
        return (torch.linalg.solve(square, x) + torch.linalg.cholesky(square)).mean(1)


def linear_algebra() -> Made:
    """A system of equations and a factorisation."""
    return _Solved(), (torch.randn(5, 4, 4),)


class _Settled(_Twice):
    """Batch norm by the running statistics in training too: two outputs of no bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(16)

    def train(self, mode: bool = True) -> "_Settled":
        super().train(mode)
        self.norm.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        return self.scores(torch.relu(self.norm(self.layer(x))))


def frozen_norm() -> Made:
    """Frozen statistics."""
    return _Settled(), (torch.randn(8, 16),)


class _Counting(_Twice):
    """Remembers how often it ran, where PyTorch does not see it."""

    count = 0

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        return super().forward(x) * self.count


def counting() -> Made:
    """No step is like another."""
    return _Counting(), (torch.randn(8, 16),)
