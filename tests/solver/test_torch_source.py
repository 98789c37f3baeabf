"""Claim: what was traced is found again from any folder, and its SHA-256 decides."""

import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace

from solver.errors import EngineError
from solver.loaders.options import LoadOptions
from solver.loaders.poet_graph import load
from solver.torch_program import Source
from solver.torch_source import find_source, read_from, saved_in
from tests.helpers.traced import FILE, traced_graph

TEXT = b"def net(): ...\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


def source(file: Path | str) -> Source:
    return Source("factory", str(file), DIGEST, "net", "mse", 0)


def written(path: Path, data: bytes = TEXT) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def test_that_the_file_is_found_where_it_stood(tmp_path: Path) -> None:
    there = written(tmp_path / "nets.py")
    assert find_source(source(there)) == there


def test_that_a_file_that_moved_is_found_beside_the_document(tmp_path: Path) -> None:
    there = written(tmp_path / "moved" / "nets.py")
    assert find_source(source(tmp_path / "nets.py"), [tmp_path / "moved"]) == there


def test_that_the_digest_chooses_among_files_of_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written(tmp_path / "here" / "nets.py", b"another").parent)
    there = written(tmp_path / "there" / "nets.py")
    assert find_source(source("nets.py"), [tmp_path / "there"]) == there


def test_that_a_changed_and_a_missing_file_are_told(tmp_path: Path) -> None:
    changed = written(tmp_path / "nets.py", b"another")
    with pytest.raises(EngineError, match="has changed since it was traced"):
        find_source(source(changed))
    with pytest.raises(EngineError, match="is not there any more"):
        find_source(source(tmp_path / "gone.py"), [tmp_path])


def test_that_a_document_names_what_is_below_it_without_its_folder(tmp_path: Path) -> None:
    program = traced_graph().program
    assert program is not None
    file = written(tmp_path / "code" / "nets.py")
    program = replace(program, source=source(file))
    assert saved_in(program, tmp_path).source.file == "code/nets.py"
    other = tmp_path / "other"
    other.mkdir()
    assert saved_in(program, other).source.file == str(file)
    again = read_from(saved_in(program, tmp_path), tmp_path)
    assert again.source.file == str(file)
    assert read_from(program, other).source.file == str(file)


def test_that_a_traced_graph_finds_its_module_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = load(FILE, LoadOptions()).program
    assert program is not None
    assert find_source(program.source) == FILE.with_name("small_net.py")
