"""Claim: other packages can bring loaders, and a broken one of theirs stops nobody."""

import logging
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from solver.errors import ModelError
from solver.graph import TrainingGraph
from solver.loaders.built_in import ONNX, POET_GRAPH, SCHEDULE_GRAPH, BuiltInLoader
from solver.loaders.options import LoadOptions
from solver.loaders.registry import load_file
from solver.plugins import named_object
from tests.helpers.builders import chain


class WordLoader:
    """Reads files that start with a word of its own."""

    name = "words"
    summary = "Graphs in words"

    def accepts(self, path: Path) -> bool:
        return path.read_bytes().startswith(b"graph of words")

    def load(self, path: Path, options: LoadOptions) -> TrainingGraph:
        return chain(3)


WORDS = WordLoader()


def test_that_a_loader_of_another_package_reads_its_files(
    tmp_path: Path, entries: list[EntryPoint]
) -> None:
    entries.append(EntryPoint("words", f"{__name__}:WORDS", "poet.loaders"))
    path = tmp_path / "a.json"
    path.write_text("graph of words: one, two")
    assert load_file(path, LoadOptions()) == chain(3)


def test_that_a_broken_loader_is_logged_and_left_out(
    tmp_path: Path, entries: list[EntryPoint], caplog: pytest.LogCaptureFixture
) -> None:
    entries.append(EntryPoint("broken", "no_such_package:LOADER", "poet.loaders"))
    path = tmp_path / "a.txt"
    path.write_text("words")
    with caplog.at_level(logging.WARNING), pytest.raises(ModelError, match="is text"):
        load_file(path, LoadOptions())
    assert "broken" in caplog.text
    caplog.clear()


@pytest.mark.parametrize("loader", [ONNX, SCHEDULE_GRAPH, POET_GRAPH], ids=lambda each: each.name)
def test_that_every_address_of_ours_leads_to_a_function(loader: BuiltInLoader) -> None:
    assert callable(named_object(loader.address))
