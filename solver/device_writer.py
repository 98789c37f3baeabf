"""Device profiles written as TOML, into the user's folder or anywhere else."""

from pathlib import Path
from typing import Any, Final

import msgspec

from solver.codec.graph import device_object
from solver.device import Device
from solver.device_files import (
    ALIASES,
    BUILT_IN,
    device_from_document,
    read_device_file,
    user_device_folder,
)
from solver.errors import DeviceError, Issue
from solver.files import write_whole

_LAST_COPY: Final = 1000


def device_toml(device: Device) -> bytes:
    """The TOML file of a device, UTF-8; read again it is the same device, to the last digit.

    Raises
    ------
    DeviceError
        The device could not be read again: a field is out of its range.
    """
    import tomli_w  # noqa: PLC0415  # only when something is written

    document: Any = _without_none(msgspec.to_builtins(device_object(device)))  # keys of a file
    device_from_document(document)
    return tomli_w.dumps(document).encode()


def write_device(device: Device, path: Path) -> None:
    """Write a device to `path`, whole or not at all.

    Raises
    ------
    DeviceError
        A field is out of its range, or the place cannot be written; the old file is still there.
    """
    data = device_toml(device)
    try:
        write_whole(path, data)
    except (OSError, ValueError) as error:  # ValueError: a zero byte
        words = getattr(error, "strerror", None) or error
        raise DeviceError(
            Issue(f"cannot be written: {words}", str(path), "choose another place")
        ) from error


def save_user_device(device: Device, *, replaces: str | None = None) -> Path:
    """Write a device into the user's folder and return its file.

    `replaces`: the id of the user's device that this is a new version of; another's is never
    overwritten.

    Raises
    ------
    DeviceError
        The id means another device already, or the file cannot be written.
    """
    place = user_device_file(device.id)
    obstacle = why_taken(device.id, replaces=replaces)
    if obstacle:
        raise DeviceError(Issue(obstacle, "id", f"{free_id(device.id)} is free"))
    folder = user_device_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        words = f"cannot be made: {error.strerror or error}"
        raise DeviceError(Issue(words, str(folder))) from error
    path = place or folder / f"{device.id}.toml"
    write_device(device, path)
    return path


def why_taken(device_id: str, *, replaces: str | None = None) -> str:
    """Why a device of the user cannot have that id, in words; empty when it can."""
    if device_id in BUILT_IN:
        return f"{device_id} is a built-in device, which stays as it is"
    if device_id in ALIASES:
        return f"{device_id} means {ALIASES[device_id]}"
    if device_id == replaces:
        return ""
    place = user_device_file(device_id)
    if place is not None:
        return f"{device_id} is another device of yours, in {place.name}"
    name = f"{device_id}.toml"
    if (user_device_folder() / name).exists():
        return f"a file {name} is there already, and holds something else"
    return ""


def free_id(device_id: str) -> str:
    """An id like that one which no device has: "rpi4-2"; the same when nobody has it."""
    if not why_taken(device_id):
        return device_id
    tries = (f"{device_id}-{number}" for number in range(2, _LAST_COPY))
    return next((name for name in tries if not why_taken(name)), device_id)


def user_device_file(device_id: str) -> Path | None:
    """The file in the user's folder that holds the device of that id; None when none does."""
    if device_id in BUILT_IN or device_id in ALIASES:
        return None
    for path in sorted(user_device_folder().glob("*.toml")):
        try:
            found = read_device_file(path)
        except DeviceError:
            continue  # said elsewhere, when the devices are listed
        if found.id == device_id:
            return path
    return None


def _without_none(value: object) -> object:
    """The document without keys that hold nothing, which TOML cannot write."""
    if isinstance(value, dict):
        return {key: _without_none(entry) for key, entry in value.items() if entry is not None}
    return [_without_none(entry) for entry in value] if isinstance(value, list) else value
