"""One shape for everything that other packages can add: names that lead to objects.

Ours are listed as "module:attribute" and imported when they are asked for. Other packages announce
theirs under an entry point; one that cannot be imported is an Issue for the user, never a crash.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from solver.errors import Issue, UsageError
from solver.suggest import near_or_all

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_P = TypeVar("_P")


def named_object(address: str) -> object:
    """What stands at "module:attribute"; the module is imported now."""
    module, _, attribute = address.partition(":")
    return cast("object", getattr(import_module(module), attribute))


@dataclass(frozen=True)
class Plugins(Generic[_P]):
    """The plug-ins of one kind.

    kind : word for one of them ("strategy"). group : their entry point ("poet.strategies").
    built_in : name -> "module:attribute" of ours, in the order of lists. option : what the command
    line calls the choice, for errors.
    """

    kind: str
    group: str
    built_in: Mapping[str, str]
    option: str = ""

    def names(self) -> tuple[str, ...]:
        """Every name, ours first, the others by name; a name of ours cannot be taken."""
        return (*self.built_in, *self._others())

    def get(self, name: str) -> _P:
        """The plug-in of that name.

        Raises
        ------
        UsageError
            There is none; the nearest name is suggested. Or it cannot be imported.
        """
        if name in self.built_in:
            return cast("_P", named_object(self.built_in[name]))
        entry = self._others().get(name)
        if entry is None:
            hint = near_or_all(name, self.names())
            raise UsageError(Issue(f"unknown {self.kind} {name!r}", self.option, hint))
        found, fault = _loaded(entry)
        if fault:
            message = f"the {self.kind} {name} of another package cannot be used: {fault}"
            raise UsageError(Issue(message, self.option))
        return cast("_P", found)

    def usable(self) -> tuple[tuple[_P, ...], tuple[Issue, ...]]:
        """Every plug-in that can be used, ours first, and an issue for each that cannot."""
        found: list[_P] = []
        issues: list[Issue] = []
        for name in self.names():
            try:
                found.append(self.get(name))
            except UsageError as error:
                issues += error.issues
        return tuple(found), tuple(issues)

    def _others(self) -> dict[str, "EntryPoint"]:
        entries = sorted(_entries(self.group), key=lambda entry: entry.name)
        return {entry.name: entry for entry in entries if entry.name not in self.built_in}


@lru_cache
def _entries(group: str) -> tuple["EntryPoint", ...]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, `poet --help` has no use

    return tuple(entry_points(group=group))


@lru_cache
def _loaded(entry: "EntryPoint") -> tuple[object, str]:
    """The object and "", or None and why it cannot be imported; each is tried once."""
    try:
        return entry.load(), ""
    except Exception as error:  # noqa: BLE001 - whatever another package raises stops nobody here
        return None, f"{type(error).__name__}: {error}"
