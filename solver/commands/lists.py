"""`poet models`, `poet devices`, `poet strategies`: what there is to choose from."""

from collections.abc import Sequence

import click
import msgspec

from solver.codec.graph import device_object
from solver.commands.output import say
from solver.device_files import find_devices
from solver.errors import UsageError
from solver.strategies.registry import get_strategy, strategy_names
from solver.units import format_bytes
from solver.zoo.registry import autodiff_names, builtin_names

_as_json = click.option("--json", "as_json", is_flag=True, help="JSON instead of lines.")


@click.command()
@_as_json
def models(*, as_json: bool) -> None:
    """List the built-in networks and the accountings that each can be had under."""
    rows = [
        {
            "name": name,
            "accounting": ["autodiff", "poet"] if name in autodiff_names() else ["poet"],
        }
        for name in builtin_names()
    ]
    _print(as_json, rows, [f"{row['name']:16} {', '.join(row['accounting'])}" for row in rows])


@click.command()
@_as_json
def devices(*, as_json: bool) -> None:
    """List the devices: ours, and those in your own folder."""
    found = find_devices()
    for notice in found.notices:
        say(f"warning: {notice}")
    lines = [
        f"{device.id:16} {format_bytes(device.ram_bytes):>8}  {device.io:10}  {device.name}"
        for device in found.devices
    ]
    _print(as_json, [msgspec.to_builtins(device_object(each)) for each in found.devices], lines)


@click.command()
@_as_json
def strategies(*, as_json: bool) -> None:
    """List the ways to schedule."""
    found = []
    for name in strategy_names():
        try:
            found.append(get_strategy(name))
        except UsageError as error:
            say(f"warning: {error}")
    rows = [{"name": each.name, "summary": each.summary} for each in found]
    _print(as_json, rows, [f"{each.name:16} {each.summary}" for each in found])


def _print(as_json: bool, rows: Sequence[object], lines: Sequence[str]) -> None:  # noqa: FBT001
    click.echo(msgspec.json.encode(rows).decode() if as_json else "\n".join(lines))
