"""Which problems the benchmark solves, by name, and how a pattern chooses among them."""

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Final

from solver.bench.records import Row
from solver.device import IoMode
from solver.errors import Issue, UsageError
from solver.graph import Accounting

ONNX_PREFIX: Final = "onnx:"
_LIGHT: Final = ("resnet50", "densenet121", "squeezenet", "vgg19")
_BUILT_IN: Final = ("resnet18", "unet", "mobilenet_v2", "bert_128")
REAL_MODELS: Final = (*(f"{ONNX_PREFIX}light_{name}" for name in _LIGHT), *_BUILT_IN)
REAL_DEVICES: Final = ("nrf52840", "rpi4")
SHARES: Final = (0.7, 0.5, 0.35)
NEAR_FLOOR: Final = 1.05
_HIGH_FLOOR: Final = ("onnx:light_squeezenet", "onnx:light_vgg19", "resnet18")
"""Networks whose floor lies above the least share: they get a row near the floor as well."""
_LIMITED: Final = (
    ("resnet18", "nrf52840", 1.01),
    ("bert_128", "nrf52840", 1.003),
    ("onnx:light_resnet50", "nrf52840", 1.006),
    ("mobilenet_v2", "rpi4", 1.5),
)
"""At half of the plain peak, runtimes that the least energy does not keep: its schedules take
1.024, 1.006, 1.008 and 1.88 of the baseline's."""
_DIGITS: Final = 0.005e-5
"""Reference overheads are rounded to 0.01 in 100,000 of the baseline."""

_QUICK: Final = (
    "reference/resnet18_cifar/nrf52840/1218856", "reference/resnet18_cifar/nrf52840/731313",
    "reference/resnet18_cifar/nrf52840/487542", "reference/vgg16_cifar/nrf52840/1224744",
    "reference/vgg16_cifar/rpi4/1224744", "reference/bert/nrf52840/189531136",
    "reference/transformer/nrf52840/32041226", "reference/resnet50/nrf52840/63686944",
    "real/light_squeezenet/nrf52840/0.7", "real/resnet18/rpi4/0.7",
    "real/mobilenet_v2/nrf52840/0.5", "real/bert_128/nrf52840/0.5",
)  # fmt: skip

RELEASED: Final = (
    "reference/transformer/nrf52840/32041226",
    "reference/vgg16_cifar/nrf52840/1224744",
    "reference/resnet18_cifar/nrf52840/1218856",
)
"""Small rows that the released formulation is solved on too."""


def all_rows() -> tuple[Row, ...]:
    """Every row: the reference budgets, some binding runtime limits, the real graphs.

    Of these the largest shares come first: they are proven soonest and leave their time to others.
    """
    return (*_reference(), *_limited(), *_real())


def quick_rows() -> tuple[Row, ...]:
    """Twelve rows that together take less than three minutes at five seconds each."""
    return tuple(row for row in all_rows() if row.name in _QUICK)


def choose(rows: Sequence[Row], patterns: Sequence[str]) -> tuple[Row, ...]:
    """Rows whose name holds or matches (`*`, `?`) one of `patterns`; all when there is none.

    Raises UsageError for a pattern that no name matches.
    """
    names = [row.name for row in rows]
    unused = [text for text in patterns if not any(_matches(name, text) for name in names)]
    if unused:
        hint = f"names look like {names[0]} and {names[-1]}" if names else ""
        raise UsageError([Issue(f"no row matches {text!r}", "--rows", hint) for text in unused])
    return tuple(
        row for row in rows if not patterns or any(_matches(row.name, text) for text in patterns)
    )


def _matches(name: str, pattern: str) -> bool:
    return pattern in name or fnmatchcase(name, pattern)


def _reference() -> tuple[Row, ...]:
    path = files("resources") / "bench" / "reference.json"
    return tuple(
        Row(
            name=f"reference/{row['network']}/{row['device']}/{row['ram_bytes']}",
            part="reference",
            model=row["network"],
            device=row["device"],
            accounting=Accounting.POET,
            io=IoMode.IGNORED,
            ram_bytes=row["ram_bytes"],
            runtime_ratio=row["runtime_ratio"],
            best_overhead_j=row["best_known_overhead_j"],
            rounding_j=_DIGITS * row["baseline_j"],
        )
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]
    )


def _limited() -> tuple[Row, ...]:
    return tuple(
        Row(
            name=f"limited/{_network(model)}/{device}/{ratio}",
            part="limited",
            model=model,
            device=device,
            share=0.5,
            runtime_ratio=ratio,
        )
        for model, device, ratio in _LIMITED
    )


def _network(model: str) -> str:
    return model.removeprefix(ONNX_PREFIX)


def _real() -> tuple[Row, ...]:
    shares = [
        Row(
            name=f"real/{_network(model)}/{device}/{share}",
            part="real",
            model=model,
            device=device,
            share=share,
        )
        for share in SHARES
        for model in REAL_MODELS
        for device in REAL_DEVICES
    ]
    floors = [
        Row(
            name=f"real/{_network(model)}/{device}/floor",
            part="real",
            model=model,
            device=device,
            of_floor=NEAR_FLOOR,
        )
        for model in REAL_MODELS
        for device in REAL_DEVICES
        if model in _HIGH_FLOOR
    ]
    return (*shares, *floors)
