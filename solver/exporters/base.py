"""What an exporter looks like from outside."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from solver.files import write_whole
from solver.simulate import Trace


class Exporter(Protocol):
    """One format that a schedule can be saved in."""

    @property
    def name(self) -> str:
        """Short name, unique among the exporters."""
        ...

    @property
    def summary(self) -> str:
        """One sentence for lists and the save dialog."""
        ...

    @property
    def suffix(self) -> str:
        """Usual end of a file name, with its dot."""
        ...

    def export(self, trace: Trace) -> bytes:
        """Content of the file; equal traces give equal bytes."""
        ...


@runtime_checkable
class WithCompanions(Protocol):
    """An exporter whose file is of use together with others in the same folder."""

    def companions(self) -> Mapping[str, bytes]:
        """Name and content of each; they are the same for every schedule."""
        ...


def write_companions(exporter: Exporter, path: Path) -> tuple[str, ...]:
    """Write what belongs beside the export at `path`; sentences on what was done.

    A file of that name with other content is the user's and stays. Raises OSError as writing does.
    """
    if not isinstance(exporter, WithCompanions):
        return ()
    said = []
    for name, data in exporter.companions().items():
        beside = path.parent / name
        if not beside.exists():
            write_whole(beside, data)
            said.append(f"{name} is beside {path.name}.")
        elif beside.read_bytes() != data:
            said.append(f"The {name} beside {path.name} is another one and was left as it is.")
    return tuple(said)
