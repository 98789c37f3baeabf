"""Where the module or the exported program of a traced step is found again."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from solver.errors import EngineError, Issue
from solver.torch_program import Program, Source


def find_source(source: Source, near: Sequence[Path] = ()) -> Path:
    """The file that was traced: where it stood, else of its name in a folder of `near` or here.

    Its SHA-256 decides. Raises EngineError where no such file is there, or only a changed one.
    """
    wanted = Path(source.file)
    folders = (*near, Path())
    places = [wanted, *(folder / wanted for folder in folders)]
    places += [folder / wanted.name for folder in folders]
    there = [path for path in dict.fromkeys(places) if path.is_file()]
    for path in there:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise EngineError(Issue(error.strerror or str(error), str(path))) from error
        if hashlib.sha256(data).hexdigest() == source.sha256:
            return path
    if there:
        raise EngineError(Issue("has changed since it was traced", str(there[0]), "trace it again"))
    words = "what was traced is not there any more"
    raise EngineError(Issue(words, source.file, "put it beside this file, or trace it again"))


def saved_in(program: Program, folder: Path) -> Program:
    """The program as it is written into `folder`: a file below it is named from there.

    So a folder can be moved or given away with what was traced in it; any other file is named in
    full, and is found from wherever the document is read.
    """
    file = Path(program.source.file).resolve()
    below = file.is_relative_to(folder.resolve())
    name = file.relative_to(folder.resolve()).as_posix() if below else str(file)
    return replace(program, source=replace(program.source, file=name))


def read_from(program: Program, folder: Path) -> Program:
    """The program as it was read from `folder`: a file that is found from there, named in full."""
    file = folder / program.source.file
    if not file.is_file():
        return program
    return replace(program, source=replace(program.source, file=str(file.absolute())))
