"""What was probably meant: the nearest of the names that would have been accepted."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches


def near(name: str, names: Iterable[str]) -> str:
    """Suggest the nearest of `names` ("did you mean X?"), case apart; empty when none is near."""
    by_lower = {known.lower(): known for known in names}
    found = get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {by_lower[found[0]]}?" if found else ""


def near_or_all(name: str, names: Collection[str]) -> str:
    """Suggest the nearest of `names`, or list them in their order ("one of: a, b")."""
    return near(name, names) or "one of: " + ", ".join(names)
