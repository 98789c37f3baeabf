"""Five networks for tracing, of the kinds that people train: each factory gives one and a batch."""

import torch
from torch import Tensor, nn

CLASSES = 10
Made = tuple[nn.Module, tuple[Tensor, ...]]
"""A network and a batch for it."""


def _normed(fan_in: int, width: int, size: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    """A convolution without bias that keeps the size but for its stride, and its batch norm."""
    convolution = nn.Conv2d(fan_in, width, size, stride, size // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(width)]


class _Residual(nn.Module):
    """Two 3x3 convolutions, added to the input or to its projection, rectified."""

    def __init__(self, fan_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *_normed(fan_in, width, 3, stride), nn.ReLU(inplace=True), *_normed(width, width, 3)
        )
        self.shortcut = nn.Sequential()
        if stride > 1 or fan_in != width:
            self.shortcut = nn.Sequential(*_normed(fan_in, width, 1, stride))

    def forward(self, x: Tensor) -> Tensor:
        """The block's answer."""
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def resnet18_cifar() -> Made:
    """ResNet-18 for 32x32 images: a 3x3 stem without pooling, four stages of two blocks."""
    layers = [*_normed(3, 64, 3), nn.ReLU(inplace=True)]
    fan_in = 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [_Residual(fan_in, width, stride), _Residual(width, width, 1)]
        fan_in = width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, CLASSES)]
    return nn.Sequential(*layers), (torch.randn(2, 3, 32, 32),)


class _Inverted(nn.Module):
    """Four times as wide by a 1x1 convolution, 3x3 per channel, and narrow again."""

    def __init__(self, fan_in: int, width: int, stride: int) -> None:
        super().__init__()
        wide = 4 * fan_in
        self.added = stride == 1 and fan_in == width
        self.body = nn.Sequential(
            *_normed(fan_in, wide, 1),
            nn.ReLU6(inplace=True),
            *_normed(wide, wide, 3, stride, groups=wide),
            nn.ReLU6(inplace=True),
            *_normed(wide, width, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The block's answer, with the input where both have one shape."""
        return x + self.body(x) if self.added else self.body(x)


def mobilenet_like() -> Made:
    """Six inverted residuals with convolutions per channel, and a dropout before the classes."""
    layers = [*_normed(3, 16, 3, 2), nn.ReLU6(inplace=True)]
    fan_in = 16
    for width, stride in ((16, 1), (24, 2), (24, 1), (40, 2), (40, 1), (64, 1)):
        layers.append(_Inverted(fan_in, width, stride))
        fan_in = width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, CLASSES)]
    return nn.Sequential(*layers), (torch.randn(4, 3, 48, 48),)


class _UNet(nn.Module):
    """Two halvings and two doublings; what came before a halving is joined after its doubling."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = self._double(3, 8), self._double(8, 16)
        self.bottom = self._double(16, 32)
        self.up2, self.up1 = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.join2, self.join1 = self._double(32, 16), self._double(16, 8)
        self.scores = nn.Conv2d(8, 2, 1)

    @staticmethod
    def _double(fan_in: int, width: int) -> nn.Module:
        first, second = _normed(fan_in, width, 3), _normed(width, width, 3)
        return nn.Sequential(*first, nn.ReLU(inplace=True), *second, nn.ReLU(inplace=True))

    def forward(self, x: Tensor) -> Tensor:
        """Scores of two classes for every pixel."""
        first = self.down1(x)
        second = self.down2(nn.functional.max_pool2d(first, 2))
        low = self.bottom(nn.functional.max_pool2d(second, 2))
        low = self.join2(torch.cat((self.up2(low), second), 1))
        return self.scores(self.join1(torch.cat((self.up1(low), first), 1)))


def unet() -> Made:
    """A small U-Net of three levels."""
    return _UNet(), (torch.randn(2, 3, 32, 32),)


class _Block(nn.Module):
    """Attention and a two-layer perceptron, each with dropout, added and normed."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.joined, self.mixed = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        """Tokens of the same shape."""
        batch, length, width = x.shape
        parts = self.joined(x).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        seen = self.drop(scores.softmax(-1)) @ value
        x = self.norm1(x + self.drop(self.mixed(seen.transpose(1, 2).flatten(2))))
        inner = self.drop(nn.functional.gelu(self.wide(x)))
        return self.norm2(x + self.drop(self.narrow(inner)))


class _Encoder(nn.Module):
    """Embedded tokens, two blocks, a class from their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(100, 64)
        self.places = nn.Parameter(torch.zeros(32, 64))
        self.blocks = nn.Sequential(_Block(64, 4), _Block(64, 4))
        self.scores = nn.Linear(64, CLASSES)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores of ten classes."""
        return self.scores(self.blocks(self.tokens(tokens) + self.places).mean(1))


def encoder() -> Made:
    """An encoder of two blocks with dropout on two sequences of 32 tokens."""
    return _Encoder(), (torch.randint(100, (2, 32)),)


class _Recurrent(nn.Module):
    """Embedded tokens, an LSTM, a class from its last state."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(100, 32)
        self.lstm = nn.LSTM(32, 64, batch_first=True)
        self.scores = nn.Linear(64, CLASSES)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores of ten classes."""
        states, _ = self.lstm(self.tokens(tokens))
        return self.scores(states[:, -1])


def lstm() -> Made:
    """An LSTM of 64 cells over twelve steps of four sequences."""
    return _Recurrent(), (torch.randint(100, (4, 12)),)
