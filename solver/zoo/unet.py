"""U-Net (Ronneberger et al., MICCAI 2015) with padding, batch norm and bilinear upsampling."""

from typing import Final

from solver.network import Network
from solver.zoo.network_builder import NetworkBuilder

_LEVELS: Final = (64, 128, 256, 512)  # channels before each halving of the image
_BOTTOM: Final = 512  # half of the paper's: upsampling has no weights that could halve it again
_CLASSES: Final = 2


def unet(batch: int) -> Network:
    """U-Net of four levels for 256x256 images, 2 classes per pixel: 17,263,042 parameters.

    Two 3x3 convolutions with batch norm and rectifier on each level; max-pools down, bilinear
    upsampling, the level's own values joined by channel, and two convolutions up.
    """
    build = NetworkBuilder("unet", batch)
    source = build.input("image", (3, 256, 256))
    skips = []
    for level, channels in enumerate(_LEVELS, 1):
        source = _double_conv(build, f"down{level}", source, channels, channels)
        skips.append(source)
        source = build.max_pool(f"pool{level}", source, kernel=2, stride=2)
    source = _double_conv(build, "bottom", source, _BOTTOM, _BOTTOM)
    for level in range(len(_LEVELS), 0, -1):
        source = build.upsample(f"upsample{level}", source)
        source = build.concat(f"concat{level}", skips.pop(), source)
        inner = build.channels(source) // 2
        source = _double_conv(build, f"up{level}", source, inner, _LEVELS[max(level - 2, 0)])
    return build.finish(build.conv("classes", source, _CLASSES, kernel=1, bias=True))


def _double_conv(build: NetworkBuilder, name: str, source: str, first: int, second: int) -> str:
    for k, channels in enumerate((first, second), 1):
        source = build.conv(f"{name}.conv{k}", source, channels, kernel=3, padding=1)
        source = build.batch_norm(f"{name}.bn{k}", source)
        source = build.relu(f"{name}.relu{k}", source)
    return source
