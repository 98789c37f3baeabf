"""What JSON needs to be told about our values; the same for every process that sends them."""

from types import MappingProxyType


def plain(value: object) -> object:
    """Read-only mappings (dims, a device's sources) travel as JSON objects.

    Raises TypeError for anything else that has no JSON form.
    """
    if isinstance(value, MappingProxyType):
        return dict(value)
    raise TypeError(f"{type(value).__name__} does not belong in a message")
