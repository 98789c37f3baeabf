"""Options that several commands share, and the texts that people type for quantities."""

import re
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from math import isnan
from pathlib import Path
from typing import Final, Protocol, TypeVar

import click
import msgspec

from solver.cost_files import read_cost_table
from solver.device import Device
from solver.device_files import load_device
from solver.errors import EngineError, Issue, UsageError
from solver.graph import Accounting, Quantized, WeightGradients, Weights
from solver.graph_request import GraphRequest
from solver.operators.losses import LOSSES
from solver.units import (
    is_plain,
    parse_bytes,
    parse_number,
    parse_ratio,
    parse_seconds,
    plain_number,
)

_SIZE: Final = re.compile(r"\s*[0-9]{1,18}\s*")
_C = TypeVar("_C", bound=Callable[..., object])
_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


def _option_name(param: click.Parameter | None) -> str:
    return param.opts[0] if param is not None else ""


class _Reader(Protocol[_T_co]):
    """Reads a text that was typed for the option `where`, or raises UsageError."""

    def __call__(self, text: str, *, where: str) -> _T_co: ...


class _Typed(click.ParamType[_T]):
    """What one of our readers makes of the text: sizes, times, ratios, numbers."""

    def __init__(self, name: str, read: _Reader[_T]) -> None:
        self.name = name
        self._read = read

    def convert(
        self,
        value: object,
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> _T:
        return self._read(str(value), where=_option_name(param))


class Whole(click.IntRange):
    """A whole number of a range; click itself would read "1_0" as 10."""

    def convert(self, value: int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """As click does, once the text is one that people take for a number."""
        if not is_plain(str(value)):
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        return super().convert(value, param, ctx)


class Decimal(click.FloatRange):
    """A number of a range; click itself would read "1_0" as 10, and "nan" as within any."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """As click does, once the text is one that people take for a number."""
        number = plain_number(str(value))
        if number is None or isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return super().convert(value, param, ctx)


class _Dimension(click.ParamType[tuple[str, int]]):
    name = "NAME=VALUE"

    def convert(
        self,
        value: str,
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> tuple[str, int]:
        name, equals, size = value.rpartition("=")
        if not (equals and name.strip() and _SIZE.fullmatch(size)):
            accepted = "write NAME=VALUE with a whole number, such as sequence=128"
            raise UsageError(Issue(f"{value!r} is not a dimension", _option_name(param), accepted))
        return name.strip(), int(size)


BYTES: Final = _Typed("size", parse_bytes)
SECONDS: Final = _Typed("time", parse_seconds)
RATIO: Final = _Typed("ratio", parse_ratio)
NUMBER: Final = _Typed("number", parse_number)


class GraphArguments(msgspec.Struct, frozen=True, kw_only=True):
    """MODEL, --device and the settings of the graph, as click hands them over."""

    model: str
    device: str
    profile: str | None
    accounting: Accounting | None
    weights: Weights
    weight_gradients: WeightGradients
    batch: int | None
    dims: tuple[tuple[str, int], ...]
    loss: str | None
    output: str | None
    quantized: Quantized
    json_path: str | None

    @property
    def inputs(self) -> list[str]:
        """Names that may be files which are read."""
        return [self.model, self.device, *([] if self.profile is None else [self.profile])]

    def priced_on(self) -> Device:
        """The device, with the costs of --profile. Raises with the mistakes of both."""
        errors: list[EngineError] = []
        device, table = None, None
        try:
            device = load_device(self.device)
        except EngineError as error:
            errors.append(error)
        try:
            table = None if self.profile is None else read_cost_table(Path(self.profile))
        except EngineError as error:
            errors.append(error)
        if errors:
            raise type(errors[0])([issue for error in errors for issue in error.issues])
        assert device is not None
        return device if table is None else replace(device, profile=table)

    def request(self) -> GraphRequest:
        """What the engine is asked to load."""
        return GraphRequest(
            self.model,
            self.accounting,
            self.weights,
            self.weight_gradients,
            self.batch,
            dict(self.dims),
            self.loss,
            self.output,
            quantized=self.quantized,
        )


def graph_options(command: _C) -> _C:
    """Give a command the options of GraphArguments, listed in this order in its help."""
    for decorate in reversed(_graph_options()):
        command = decorate(command)
    return command


def _choice(name: str, default: StrEnum, words: str) -> Callable[[_C], _C]:
    """An option that takes any value of the enumeration that `default` is of."""
    return click.option(
        name,
        type=click.Choice([choice.value for choice in type(default)]),
        default=default.value,
        show_default=True,
        help=words,
    )


def _graph_options() -> tuple[Callable[[_C], _C], ...]:
    ways = "Count by our differentiation (default) or as the released POET code does."
    return (
        click.argument("model", metavar="MODEL"),
        click.option("--device", required=True, metavar="ID|FILE.toml", help="The board."),
        click.option(
            "--profile",
            metavar="FILE",
            help="Measured costs, CSV or JSON: op or kind of op, seconds, joules. What it does not "
            "name is worked out from FLOP.",
        ),
        click.option("--accounting", type=click.Choice(["autodiff", "poet"]), help=ways),
        _choice(
            "--weights", Weights.NOT_COUNTED, "Whether the weights take part of the RAM budget."
        ),
        _choice(
            "--weight-gradients",
            WeightGradients.APPLIED,
            "Applied to the weight as soon as made, or kept in a buffer in RAM.",
        ),
        click.option("--batch", type=Whole(min=1), help="Samples per training step."),
        click.option(
            "--dim",
            "dims",
            type=_Dimension(),
            multiple=True,
            metavar="NAME=VALUE",
            help="Size of a dimension that the file leaves open; may be given again.",
        ),
        click.option("--loss", type=click.Choice(list(LOSSES)), help="The loss."),
        click.option("--output", metavar="NAME", help="The output that the loss reads."),
        _choice(
            "--quantized",
            Quantized.REFUSED,
            "Quantised operators of a file: refused, or simulated in floats with gradients that "
            "pass straight through the rounding.",
        ),
        click.option("--json", "json_path", metavar="FILE|-", help="Write JSON; - is stdout."),
    )
