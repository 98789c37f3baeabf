"""VGG-16: configuration D of Simonyan and Zisserman, ICLR 2015."""

from typing import Final

from solver.network import Network
from solver.zoo.network_builder import NetworkBuilder

_STAGES: Final = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # channels, convolutions
_HIDDEN: Final = 4096
_DROPOUT: Final = 0.5


def vgg16(batch: int) -> Network:
    """VGG-16 for 224x224 images, 1000 classes, as torchvision has it: 138,357,544 parameters.

    No batch normalisation; Dropout twice in the classifier. torchvision's adaptive pool to 7x7
    changes nothing at this image size and is left out.
    """
    return _vgg16("vgg16", batch, size=224, classes=1000)


def vgg16_cifar(batch: int) -> Network:
    """VGG-16 for 32x32 images, 10 classes: 33,638,218 parameters.

    The paper's configuration D at the smaller size, with its whole classifier (4096, 4096, 10) and
    Dropout on the 512 features that five pools leave: the same layers as the built-in of this name
    under accounting "poet", so that the two can be compared. No batch normalisation.
    """
    return _vgg16("vgg16_cifar", batch, size=32, classes=10)


def _vgg16(name: str, batch: int, *, size: int, classes: int) -> Network:
    build = NetworkBuilder(name, batch)
    source = build.input("image", (3, size, size))
    for stage, (channels, depth) in enumerate(_STAGES, 1):
        for k in range(1, depth + 1):
            conv = f"conv{stage}_{k}"
            source = build.conv(conv, source, channels, kernel=3, padding=1, bias=True)
            source = build.relu(f"relu{stage}_{k}", source)
        source = build.max_pool(f"pool{stage}", source, kernel=2, stride=2)
    source = build.flatten("flatten", source)
    for k in (6, 7):
        source = build.relu(f"relu{k}", build.linear(f"fc{k}", source, _HIDDEN))
        source = build.dropout(f"drop{k}", source, ratio=_DROPOUT)
    return build.finish(build.linear("fc8", source, classes))
