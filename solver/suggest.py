"""What was probably meant: the nearest of the names that would have been accepted."""

from collections.abc import Collection, Iterable
from difflib import SequenceMatcher, get_close_matches
from typing import Final

_LISTED: Final = 8


def near(name: str, names: Iterable[str]) -> str:
    """Suggest the nearest of `names` ("did you mean X?"), case apart; empty when none is near."""
    by_lower = {known.lower(): known for known in names}
    found = get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {by_lower[found[0]]}?" if found else ""


def near_or_all(name: str, names: Collection[str]) -> str:
    """Suggest the nearest of `names`, or list them in their order ("one of: a, b")."""
    return near(name, names) or "one of: " + ", ".join(names)


def nearest_first(name: str, names: Iterable[str]) -> str:
    """List `names`, those that most resemble `name` first: "lp.trips, N and 3 more".

    A name that holds what was typed, or is held by it, resembles it most: half of a name is typed
    more often than a misspelt one.
    """
    typed = name.lower()

    def distance(known: str) -> tuple[bool, float]:
        lower = known.lower()
        holds = typed in lower or lower in typed
        return not holds, -SequenceMatcher(None, typed, lower).ratio()

    found = sorted(names, key=distance)
    more = len(found) - _LISTED
    text = ", ".join(found[:_LISTED])
    return f"{text} and {more} more" if more > 0 else text
