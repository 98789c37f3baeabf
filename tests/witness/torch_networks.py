"""The networks of the witness, written in PyTorch's own layers; only record.py imports this."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

CLASSES = 10


class Sample(NamedTuple):
    """A network, one batch for it, and the labels of that batch."""

    network: nn.Module
    batch: Tensor
    labels: Tensor


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut, projected where the shape changes."""

    def __init__(self, fan_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(fan_in, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.project = nn.Identity()
        if stride != 1 or fan_in != width:
            convolution = nn.Conv2d(fan_in, width, 1, stride, bias=False)
            self.project = nn.Sequential(convolution, nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """The rectified sum of both ways."""
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.project(x))


def resnet18() -> Sample:
    """ResNet-18 for 224x224 images and 1000 classes, as torchvision has it; one image."""
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    fan_in = 64
    for stage, width in enumerate((64, 128, 256, 512)):
        layers.append(ResidualBlock(fan_in, width, 1 if stage == 0 else 2))
        layers.append(ResidualBlock(width, width, 1))
        fan_in = width
    layers.extend((nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)))
    return Sample(nn.Sequential(*layers), torch.zeros(1, 3, 224, 224), torch.zeros(1).long())


class Excitation(nn.Module):
    """Scales channels by what a small network makes of their means."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.squeeze = nn.Conv2d(channels, channels // 4, 1)
        self.relu = nn.ReLU()
        self.excite = nn.Conv2d(channels // 4, channels, 1)
        self.gate = nn.Sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        """The scaled input."""
        return x * self.gate(self.excite(self.relu(self.squeeze(self.pool(x)))))


class InvertedResidual(nn.Module):
    """Wider by a 1x1 convolution, 3x3 per channel, excitation, and narrow again."""

    def __init__(self, fan_in: int, width: int, stride: int, activation: Callable) -> None:
        super().__init__()
        inner = 4 * fan_in
        self.added = stride == 1 and fan_in == width
        self.body = nn.Sequential(
            nn.Conv2d(fan_in, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            activation(),
            nn.Conv2d(inner, inner, 3, stride, 1, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            activation(),
            Excitation(inner),
            nn.Conv2d(inner, width, 1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The block's values, added to its input where both have one shape."""
        return x + self.body(x) if self.added else self.body(x)


def mobilenet() -> Sample:
    """Five inverted residuals on eight images of 96x96, rectified at 6 and by hard swish."""
    layers = [nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.Hardswish()]
    fan_in = 16
    plan = ((24, 2, nn.ReLU6), (24, 1, nn.ReLU6), (40, 2, nn.Hardswish), (40, 1, nn.Hardswish))
    for width, stride, activation in (*plan, (64, 2, nn.Hardswish)):
        layers.append(InvertedResidual(fan_in, width, stride, activation))
        fan_in = width
    layers.extend((nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(fan_in, 128), nn.Hardswish()))
    layers.extend((nn.Dropout(0.2), nn.Linear(128, CLASSES)))
    return Sample(nn.Sequential(*layers), torch.zeros(8, 3, 96, 96), torch.zeros(8).long())


def _double(fan_in: int, width: int) -> nn.Module:
    layers = []
    for source in (fan_in, width):
        layers.append(nn.Conv2d(source, width, 3, 1, 1, bias=False))
        layers.extend((nn.BatchNorm2d(width), nn.ReLU()))
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """Two levels: up once by a transposed convolution and once by interpolation."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = _double(3, 16), _double(16, 32)
        self.pool = nn.MaxPool2d(2)
        self.bottom = _double(32, 64)
        self.widen2 = nn.ConvTranspose2d(64, 32, 2, 2)
        self.up2 = _double(64, 32)
        self.widen1 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.up1 = _double(48, 16)
        self.classes = nn.Conv2d(16, CLASSES, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Scores per class and pixel."""
        first = self.down1(x)
        second = self.down2(self.pool(first))
        y = self.widen2(self.bottom(self.pool(second)))
        y = self.widen1(self.up2(torch.cat((second, y), 1)))
        return self.classes(self.up1(torch.cat((first, y), 1)))


def unet() -> Sample:
    """A U-Net on two images of 64x64, a class per pixel."""
    return Sample(UNet(), torch.zeros(2, 3, 64, 64), torch.zeros(2, 64, 64).long())


class EncoderBlock(nn.Module):
    """Attention and feed-forward, each with dropout, added to its input and normalised."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.output = nn.Linear(width, width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.drop = nn.Dropout(0.1)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU())
        self.narrow = nn.Linear(4 * width, width)

    def _split(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        return x.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

    def attend(self, x: Tensor) -> Tensor:
        """The mix of values, scores as a softmax with dropout."""
        query, key, value = (self._split(part(x)) for part in (self.query, self.key, self.value))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        mixed = self.drop(torch.softmax(scores, -1)) @ value
        return self.output(mixed.transpose(1, 2).reshape(x.shape))

    def forward(self, x: Tensor) -> Tensor:
        """The block's values, of the shape of `x`."""
        x = self.norm1(x + self.drop(self.attend(x)))
        return self.norm2(x + self.drop(self.narrow(self.feed(x))))


class Encoder(nn.Module):
    """Embedded tokens with positions, two blocks, a score per word and token."""

    def __init__(self, words: int, tokens: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Parameter(torch.zeros(tokens, width))
        self.drop = nn.Dropout(0.1)
        self.blocks = nn.Sequential(EncoderBlock(width, 4), EncoderBlock(width, 4))
        self.scores = nn.Linear(width, words)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores (batch x tokens, words)."""
        x = self.blocks(self.drop(self.words(tokens) + self.positions))
        return self.scores(x).flatten(0, 1)


def encoder() -> Sample:
    """Two encoder blocks of width 128 on two sequences of 64 tokens out of 1000 words."""
    tokens = torch.zeros(2, 64).long()
    return Sample(Encoder(1000, 64, 128), tokens, torch.zeros(128).long())


class Recurrent(nn.Module):
    """Embedded tokens, a recurrent layer, a class from each of its states."""

    def __init__(self, layer: type[nn.RNNBase]) -> None:
        super().__init__()
        self.words = nn.Embedding(200, 32)
        self.layer = layer(32, 64, batch_first=False)
        self.scores = nn.Linear(64, CLASSES)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores (tokens x batch, classes)."""
        states, _ = self.layer(self.words(tokens))
        return self.scores(states).flatten(0, 1)


def lstm() -> Sample:
    """An LSTM of 64 cells over 16 steps of four sequences."""
    return Sample(Recurrent(nn.LSTM), torch.zeros(16, 4).long(), torch.zeros(64).long())


def gru() -> Sample:
    """A GRU of 64 cells over 16 steps of four sequences."""
    return Sample(Recurrent(nn.GRU), torch.zeros(16, 4).long(), torch.zeros(64).long())


NETWORKS: dict[str, Callable[[], Sample]] = {
    "resnet18": resnet18,
    "mobilenet": mobilenet,
    "unet": unet,
    "encoder": encoder,
    "lstm": lstm,
    "gru": gru,
}
