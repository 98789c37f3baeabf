"""MobileNetV2 (Sandler et al., "Inverted Residuals and Linear Bottlenecks", CVPR 2018)."""

from typing import Final

from solver.network import Network
from solver.zoo.network_builder import NetworkBuilder

_STAGES: Final = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
    (6, 320, 1, 1),
)  # fmt: skip
"""Expansion, channels out, blocks, stride of the first block."""
_STEM: Final = 32
_LAST: Final = 1280
_DROPOUT: Final = 0.2


def mobilenet_v2(batch: int) -> Network:
    """MobileNetV2 for 224x224 images, 1000 classes, as torchvision has it: 3,504,872 parameters."""
    build = NetworkBuilder("mobilenet_v2", batch)
    source = build.input("image", (3, 224, 224))
    source = _conv_norm_clip(build, "stem", source, channels=_STEM, kernel=3, stride=2)
    for stage, (expansion, channels, blocks, stride) in enumerate(_STAGES, 1):
        for k in range(blocks):
            source = _block(
                build,
                f"block{stage}.{k}",
                source,
                expansion=expansion,
                channels=channels,
                stride=1 if k else stride,
            )
    source = _conv_norm_clip(build, "last", source, channels=_LAST, kernel=1)
    source = build.flatten("flatten", build.global_average_pool("avgpool", source))
    source = build.dropout("dropout", source, ratio=_DROPOUT)
    return build.finish(build.linear("fc", source, 1000))


def _conv_norm_clip(
    build: NetworkBuilder,
    name: str,
    source: str,
    *,
    channels: int,
    kernel: int,
    stride: int = 1,
    groups: int = 1,
) -> str:
    source = build.conv(
        f"{name}.conv",
        source,
        channels,
        kernel=kernel,
        stride=stride,
        padding=kernel // 2,
        groups=groups,
    )
    return build.relu6(f"{name}.relu6", build.batch_norm(f"{name}.bn", source))


def _block(
    build: NetworkBuilder, name: str, source: str, *, expansion: int, channels: int, stride: int
) -> str:
    """1x1 up, 3x3 on each channel alone, 1x1 down without rectifier; a skip where shapes agree."""
    fan_in = build.channels(source)
    inner = expansion * fan_in
    main = source
    if expansion != 1:
        main = _conv_norm_clip(build, f"{name}.expand", main, channels=inner, kernel=1)
    main = _conv_norm_clip(
        build, f"{name}.depthwise", main, channels=inner, kernel=3, stride=stride, groups=inner
    )
    main = build.conv(f"{name}.project.conv", main, channels, kernel=1)
    main = build.batch_norm(f"{name}.project.bn", main)
    if stride == 1 and fan_in == channels:
        return build.add(f"{name}.add", source, main)
    return main
