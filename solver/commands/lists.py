"""`poet models`, `poet devices`, `poet strategies`: what there is to choose from."""

from collections.abc import Sequence

import click
import msgspec

from solver.codec.graph import device_object
from solver.commands.output import say
from solver.device_files import find_devices
from solver.strategies.registry import STRATEGIES
from solver.units import format_bytes
from solver.zoo.registry import accountings_of, builtin_names

_as_json = click.option("--json", "as_json", is_flag=True, help="JSON instead of lines.")


@click.command()
@_as_json
def models(*, as_json: bool) -> None:
    """List the built-in networks and the accountings that each can be had under."""
    rows = [
        {"name": name, "accounting": [accounting.value for accounting in accountings_of(name)]}
        for name in builtin_names()
    ]
    lines = [f"{row['name']:16} {', '.join(row['accounting'])}" for row in rows]
    _print(rows, [f"{'name':16} accounting", *lines], as_json=as_json)


@click.command()
@_as_json
def devices(*, as_json: bool) -> None:
    """List the devices: ours, and those in your own folder."""
    found = find_devices()
    for notice in found.notices:
        say(f"warning: {notice}")
    lines = [
        f"{'id':16} {'RAM':>8}  {'transfers':10}  name",
        *(
            f"{device.id:16} {format_bytes(device.ram_bytes):>8}  {device.io:10}  {device.name}"
            for device in found.devices
        ),
    ]
    rows = [msgspec.to_builtins(device_object(each)) for each in found.devices]
    _print(rows, lines, as_json=as_json)


@click.command()
@_as_json
def strategies(*, as_json: bool) -> None:
    """List the ways to schedule."""
    found, notices = STRATEGIES.usable()
    for notice in notices:
        say(f"warning: {notice}")
    rows = [{"name": each.name, "summary": each.summary} for each in found]
    _print(rows, [f"{each.name:16} {each.summary}" for each in found], as_json=as_json)


def _print(rows: Sequence[object], lines: Sequence[str], *, as_json: bool) -> None:
    click.echo(msgspec.json.encode(rows).decode() if as_json else "\n".join(lines))
