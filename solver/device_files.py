"""Device profiles as TOML files: ours, those in the user's folder, and any file by its path."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from solver.cost_files import table_of
from solver.cost_table import CostTable
from solver.device import Device, IoMode, Transfer
from solver.errors import DeviceError, Issue, UsageError
from solver.files import why_not_readable
from solver.schemas import schema_issues
from solver.suggest import near
from solver.text import decode

BUILT_IN: Final = ("mkr1000", "nrf52840", "rpi4", "rpi4-nocache", "jetson-tx2")

ALIASES: Final[Mapping[str, str]] = MappingProxyType({
    "m0": "mkr1000",
    "m4": "nrf52840",
    "a72": "rpi4",
    "a72nocache": "rpi4-nocache",
    "jetsontx2": "jetson-tx2",
})  # fmt: skip

_MAX_FILE_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True)
class FoundDevices:
    """Devices that can be used, ours first; a notice for each file of the user that cannot."""

    devices: tuple[Device, ...]
    notices: tuple[Issue, ...]


def load_device(id_or_path: str | Path) -> Device:
    """Find the device of that id or alias, or read the TOML file of that path.

    What ends in .toml or names a folder is a path; an id comes before a file of the same name.

    Raises
    ------
    UsageError
        No device has that id; the nearest one is suggested.
    DeviceError
        The file cannot be read or used; every wrong field is named.
    """
    text = str(id_or_path)
    path = Path(id_or_path)
    if isinstance(id_or_path, Path) or path.suffix == ".toml" or len(path.parts) > 1:
        return read_device_file(path)
    known = ALIASES.get(text, text)
    if known in BUILT_IN:
        return _built_in(known)
    devices = {device.id: device for device in find_devices().devices}
    if known in devices:
        return devices[known]
    if not why_not_readable(path):
        return read_device_file(path)
    names = (*devices, *ALIASES)
    hint = near(text, names) or f"one of: {', '.join(devices)}; or a .toml file"
    raise UsageError(Issue(f"no device is called {text!r}", "--device", hint))


def find_devices() -> FoundDevices:
    """Every device that can be used, and why files of the user's folder cannot.

    A file whose id is taken already is left out with a notice: an id means one device.
    """
    devices = {name: _built_in(name) for name in BUILT_IN}
    taken = {**ALIASES, **dict.fromkeys(BUILT_IN, "a built-in device")}
    own: dict[str, Device] = {}
    notices: list[Issue] = []
    for path in sorted(user_device_folder().glob("*.toml")):
        try:
            device = read_device_file(path)
        except DeviceError as error:
            notices += error.issues
            continue
        if device.id in taken:
            words = f"the id {device.id} is taken by {taken[device.id]}, this file is left out"
            notices.append(Issue(words, path.name, "choose another id"))
            continue
        own[device.id] = device
        taken[device.id] = path.name
    devices.update(sorted(own.items()))
    return FoundDevices(tuple(devices.values()), tuple(notices))


def user_device_folder() -> Path:
    """Folder in which the user's own device files are looked for; it need not exist."""
    from platformdirs import user_config_path  # noqa: PLC0415  # not needed for a built-in device

    return user_config_path("poet-explorer", appauthor=False) / "devices"


def read_device_file(path: Path) -> Device:
    """Read a device profile from a TOML file.

    Raises
    ------
    DeviceError
        Not readable, not TOML, or with wrong fields; every one is named.
    """
    fault = why_not_readable(path)
    if fault:
        words = "is a folder, not a device file" if fault == "is a folder" else fault
        raise DeviceError(Issue(words, str(path)))
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise DeviceError(Issue(f"cannot be read: {error.strerror}", str(path))) from error
    if len(data) > _MAX_FILE_BYTES:
        raise DeviceError(Issue("is too large for a device file", str(path), "at most 1 MiB"))
    return _parse(data, str(path))


def device_from_document(document: object, *, file: str = "") -> Device:
    """Make a device from the keys of its TOML file or of a JSON document (tables = objects).

    Raises
    ------
    DeviceError
        Wrong fields; every one is named, `file` standing before its place.
    """
    issues = schema_issues(document, "device", file=file)
    if issues:
        raise DeviceError(issues)
    fields: Any = document  # the schema has just been checked
    return Device(
        id=fields["id"],
        name=fields["name"],
        flop_per_s=float(fields["flop_per_s"]),
        flop_per_j=float(fields["flop_per_j"]),
        ram_bytes=int(fields["ram_bytes"]),
        io=IoMode(fields["io"]),
        page_in=_transfer(fields["page_in"]),
        page_out=_transfer(fields["page_out"]),
        element_bytes=int(fields.get("element_bytes", 4)),
        source=MappingProxyType(dict(fields.get("source", {}))),
        profile=_profile(fields["profile"], file) if "profile" in fields else None,
    )


@lru_cache
def _built_in(name: str) -> Device:
    return _parse(files("resources.devices").joinpath(f"{name}.toml").read_bytes(), f"{name}.toml")


def _parse(data: bytes, file: str) -> Device:
    try:
        document = tomllib.loads(decode(data))
    except UnicodeDecodeError as error:
        raise DeviceError(Issue("is not text", file, "save it as UTF-8")) from error
    except tomllib.TOMLDecodeError as error:
        raise DeviceError(Issue(f"is not TOML: {error}", file)) from error
    except ValueError as error:
        raise DeviceError(Issue("holds a number of thousands of digits", file)) from error
    except RecursionError as error:
        raise DeviceError(Issue("is nested too deeply for a device file", file)) from error
    return device_from_document(document, file=file)


def _profile(fields: Mapping[str, Any], file: str) -> CostTable:
    where = f"{file}: profile" if file else "profile"
    rows = [(f"{where}: costs[{place}]", row) for place, row in enumerate(fields["costs"])]
    return table_of(fields["name"], rows)


def _transfer(table: Mapping[str, float]) -> Transfer:
    # Adding 0.0 turns -0.0 into 0.0: no document carries a negative zero.
    return Transfer(
        float(table["latency_s"]) + 0.0, float(table["bytes_per_s"]), float(table["power_w"]) + 0.0
    )
