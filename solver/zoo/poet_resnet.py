"""ResNets as the released POET code builds and counts them.

They differ from the paper's: no ReLU behind the first batch norm; the skip of the ImageNet variants
starts behind the first ReLU inside each block and has no projection (in ResNet-50 the two sides of
the addition even differ in shape, and the first decides); the CIFAR variant has a convolution on
the skip of every block.
"""

from solver.graph import TrainingGraph
from solver.zoo.poet_layers import LayerList, mirrored_graph


def resnet18() -> TrainingGraph:
    """ResNet-18 for ImageNet: 224x224 pixels, 1000 classes."""
    layers = _imagenet_stem()
    for stage, planes in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            _conv_norm_relu(layers, planes, 3, stride=stride, padding=1)
            skip = layers.last
            layers.conv(planes, 3, stride=1, padding=1)
            layers.batch_norm()
            layers.add(skip, layers.last)
            layers.relu()
    return _classified("resnet18", layers, pool=7, classes=1000)


def resnet50() -> TrainingGraph:
    """ResNet-50 for ImageNet: 224x224 pixels, 1000 classes."""
    layers = _imagenet_stem()
    for stage, (planes, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            _conv_norm_relu(layers, planes, 1, stride=stride, padding=0)
            skip = layers.last
            _conv_norm_relu(layers, planes, 3, stride=1, padding=1)
            layers.conv(4 * planes, 1, stride=1, padding=0)
            layers.batch_norm()
            layers.add(layers.last, skip)
            layers.relu()
    return _classified("resnet50", layers, pool=7, classes=1000)


def resnet18_cifar() -> TrainingGraph:
    """Small ResNet for CIFAR-10: 32x32 pixels, 10 classes, six blocks."""
    layers = LayerList((1, 3, 32, 32))
    layers.conv(16, 3, stride=1, padding=1)
    layers.batch_norm()
    for stage, planes in enumerate((16, 32, 64)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            source = layers.last
            _conv_norm_relu(layers, planes, 3, stride=stride, padding=1)
            _conv_norm_relu(layers, planes, 3, stride=1, padding=1)
            main = layers.last
            layers.conv(planes, 3, stride=stride, padding=1, source=source)
            layers.batch_norm()
            layers.add(main, layers.last)
            layers.relu()
    return _classified("resnet18_cifar", layers, pool=8, classes=10)


def _imagenet_stem() -> LayerList:
    layers = LayerList((1, 3, 224, 224))
    layers.conv(64, 7, stride=2, padding=3)
    layers.batch_norm()
    layers.max_pool(3, 2)
    return layers


def _conv_norm_relu(
    layers: LayerList, planes: int, kernel: int, *, stride: int, padding: int
) -> None:
    layers.conv(planes, kernel, stride=stride, padding=padding)
    layers.batch_norm()
    layers.relu()


def _classified(name: str, layers: LayerList, *, pool: int, classes: int) -> TrainingGraph:
    layers.average_pool(pool)
    layers.flatten()
    layers.linear(classes)
    layers.cross_entropy(classes)
    return mirrored_graph(name, layers)
