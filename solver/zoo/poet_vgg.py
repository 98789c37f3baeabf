"""VGG-16 as the released POET code builds and counts it."""

from typing import Final

from solver.graph import TrainingGraph
from solver.zoo.poet_layers import LayerList, mirrored_graph

STACKS: Final = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
"""Channels of the 3x3 convolutions between max-pools."""


def vgg16() -> TrainingGraph:
    """VGG-16 for ImageNet: 224x224 pixels, 1000 classes."""
    return _vgg("vgg16", image=224, classes=1000)


def vgg16_cifar() -> TrainingGraph:
    """VGG-16 for CIFAR-10: the same layers, hidden ones still 4096 wide; 32x32 pixels."""
    return _vgg("vgg16_cifar", image=32, classes=10)


def _vgg(name: str, *, image: int, classes: int) -> TrainingGraph:
    layers = LayerList((1, 3, image, image))
    for stack in STACKS:
        for channels in stack:
            layers.conv(channels, 3, stride=1, padding=1)
            layers.relu()
        layers.max_pool(2, 2)
    layers.flatten()
    for _ in range(2):
        layers.linear(4096)
        layers.relu()
        layers.dropout()
    layers.linear(classes)
    layers.cross_entropy(classes)
    return mirrored_graph(name, layers)
