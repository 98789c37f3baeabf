"""How a device is named where it is shown: with the cost table that it is priced by."""

from solver.device import Device
from solver.text import counted


def device_title(device: Device) -> str:
    """The name, behind that of its measured costs: "mine.csv + Raspberry Pi 4B".

    They come first: where there is little room, the end is what is cut off.
    """
    table = device.profile
    return device.name if table is None else f"{table.name} + {device.name}"


def device_tip(device: Device) -> str:
    """Name and id; with a cost table, how many costs it gives and how to do without it."""
    words = f"{device.name} ({device.id})"
    if device.profile is None:
        return words
    count = len(device.profile.rows)
    costs = counted(count, "cost")
    return f"{words}, {costs} from {device.profile.name}; the File menu drops them"
