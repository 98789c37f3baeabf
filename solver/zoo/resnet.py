"""Residual networks (He et al., "Deep Residual Learning for Image Recognition", CVPR 2016)."""

from collections.abc import Callable, Sequence

from solver.network import Network
from solver.zoo.network_builder import NetworkBuilder

_IMAGENET_CLASSES = 1000
_CIFAR_CLASSES = 10
_WIDTHS = (64, 128, 256, 512)
_EXPANSION = 4  # a bottleneck puts out four times its inner width

_Block = Callable[[NetworkBuilder, str, str, int, int], str]


def resnet18(batch: int) -> Network:
    """ResNet-18 for 224x224 images, 1000 classes, as torchvision has it: 11,689,512 parameters."""
    build = NetworkBuilder("resnet18", batch)
    source = _imagenet_stem(build)
    return _finish(build, source, _basic_block, (2, 2, 2, 2), _IMAGENET_CLASSES)


def resnet18_cifar(batch: int) -> Network:
    """ResNet-18 for 32x32 images, 10 classes: 11,173,962 parameters.

    The usual CIFAR form of the ImageNet network: a 3x3 stem of stride 1 without max-pool, then the
    same four stages of 64 to 512 channels (not the narrower networks of 16 to 64 channels that the
    paper made for CIFAR, one of which is the built-in of this name under accounting "poet").
    """
    build = NetworkBuilder("resnet18_cifar", batch)
    source = build.input("image", (3, 32, 32))
    source = _conv_norm(build, "conv1", "bn1", source, channels=64, kernel=3, stride=1)
    source = build.relu("relu1", source)
    return _finish(build, source, _basic_block, (2, 2, 2, 2), _CIFAR_CLASSES)


def resnet50(batch: int) -> Network:
    """ResNet-50 for 224x224 images, 1000 classes: 25,557,032 parameters.

    As torchvision has it: the stride of a bottleneck is in its 3x3 convolution (in the paper it is
    in the first 1x1).
    """
    build = NetworkBuilder("resnet50", batch)
    source = _imagenet_stem(build)
    return _finish(build, source, _bottleneck, (3, 4, 6, 3), _IMAGENET_CLASSES)


def _imagenet_stem(build: NetworkBuilder) -> str:
    source = build.input("image", (3, 224, 224))
    source = _conv_norm(build, "conv1", "bn1", source, channels=64, kernel=7, stride=2)
    source = build.relu("relu1", source)
    return build.max_pool("maxpool", source, kernel=3, stride=2, padding=1)


def _finish(
    build: NetworkBuilder, source: str, block: _Block, depths: Sequence[int], classes: int
) -> Network:
    """Add the four stages and the classifier."""
    for stage, (width, depth) in enumerate(zip(_WIDTHS, depths, strict=True), 1):
        for position in range(depth):
            stride = 2 if stage > 1 and position == 0 else 1
            source = block(build, f"layer{stage}.{position}", source, width, stride)
    source = build.global_average_pool("avgpool", source)
    source = build.flatten("flatten", source)
    return build.finish(build.linear("fc", source, classes))


def _conv_norm(
    build: NetworkBuilder,
    conv: str,
    norm: str,
    source: str,
    *,
    channels: int,
    kernel: int,
    stride: int,
) -> str:
    """Add a convolution that keeps the size up to its stride, without bias, and its batch norm."""
    source = build.conv(conv, source, channels, kernel=kernel, stride=stride, padding=kernel // 2)
    return build.batch_norm(norm, source)


def _shortcut(build: NetworkBuilder, name: str, source: str, channels: int, stride: int) -> str:
    """Return the block's input, projected where the block changes its shape."""
    if stride == 1 and build.channels(source) == channels:
        return source
    conv, norm = f"{name}.downsample.conv", f"{name}.downsample.bn"
    return _conv_norm(build, conv, norm, source, channels=channels, kernel=1, stride=stride)


def _basic_block(build: NetworkBuilder, name: str, source: str, width: int, stride: int) -> str:
    """Two 3x3 convolutions."""
    main = _conv_norm(
        build, f"{name}.conv1", f"{name}.bn1", source, channels=width, kernel=3, stride=stride
    )
    main = build.relu(f"{name}.relu1", main)
    main = _conv_norm(
        build, f"{name}.conv2", f"{name}.bn2", main, channels=width, kernel=3, stride=1
    )
    shortcut = _shortcut(build, name, source, width, stride)
    return build.relu(f"{name}.relu2", build.add(f"{name}.add", main, shortcut))


def _bottleneck(build: NetworkBuilder, name: str, source: str, width: int, stride: int) -> str:
    """1x1 down to the inner width, 3x3 there, 1x1 up to four times it."""
    channels = _EXPANSION * width
    plan = ((width, 1, 1), (width, 3, stride), (channels, 1, 1))
    main = source
    for k, (out, kernel, step) in enumerate(plan, 1):
        main = _conv_norm(
            build,
            f"{name}.conv{k}",
            f"{name}.bn{k}",
            main,
            channels=out,
            kernel=kernel,
            stride=step,
        )
        if k < len(plan):
            main = build.relu(f"{name}.relu{k}", main)
    shortcut = _shortcut(build, name, source, channels, stride)
    return build.relu(f"{name}.relu3", build.add(f"{name}.add", main, shortcut))
