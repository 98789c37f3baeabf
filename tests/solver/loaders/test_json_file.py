"""Claim: JSON is read in every Unicode encoding; what is no JSON is named with its place."""

from pathlib import Path

import pytest

from solver.errors import ModelError
from solver.loaders.json_file import parse_json, read_json


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_that_every_unicode_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"name": "Größe"}', encoding=encoding)
    assert read_json(path) == {"name": "Größe"}


def messages(text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(ModelError) as caught:
        parse_json(data, "g.json")
    return [str(issue) for issue in caught.value.issues]


def test_that_a_syntax_error_is_named_by_line_and_column() -> None:
    assert messages('{\n "a": 1,,\n}')[0].startswith("g.json: line 2, column 9: is not JSON")


def test_that_text_behind_the_end_is_named() -> None:
    assert messages('{"a": 1}\n{"b": 2}') == [
        "g.json: line 2, column 1: there is more text behind the end of the JSON document"
    ]


@pytest.mark.parametrize("text", ['{"a": [1, 2', '{"a": "b', '{"a":'])
def test_that_a_cut_off_file_is_called_so(text: str) -> None:
    assert "the file ends in the middle" in messages(text)[0]


def test_that_every_number_that_is_not_finite_is_named() -> None:
    text = '{"nodes": [{"name": "a", "flops": NaN}, {"name": "b", "flops": 1e999}], "x": -Infinity}'
    places = [message.split(": is no finite number")[0] for message in messages(text)]
    assert places == ["g.json: node a: flops", "g.json: node b: flops", "g.json: x"]


def test_that_a_number_of_thousands_of_digits_is_named() -> None:
    assert messages('{"nodes": [{"name": "a", "bytes": ' + "9" * 5000 + "}]}") == [
        "g.json: node a: bytes: is no finite number (JSON has no NaN)"
    ]


def test_that_keys_that_stand_twice_are_named() -> None:
    text = '{"v": 1, "nodes": [{"name": "a", "bytes": 1, "bytes": 2}], "v": 1}'
    assert messages(text) == [
        "g.json: a: the key bytes stands twice",
        "g.json: the key v stands twice",
    ]


def test_that_half_a_character_is_named_and_a_whole_pair_is_read() -> None:
    text = r'{"nodes": [{"name": "a", "kind": "\ud83d"}], "\udc00": 1}'
    assert messages(text) == [
        "g.json: a key holds half a character",
        "g.json: node a: kind: holds half a character",
    ]
    assert messages(r'[{"name": "a\ud83d"}]') == ["g.json: item a?: name: holds half a character"]
    assert parse_json(rb'{"a": "\ud83d\ude00"}', "g.json") == {"a": "\U0001f600"}


def test_that_deep_nesting_is_refused_and_not_crashed_on() -> None:
    assert "nested too deeply" in messages("[" * 100_000)[0]


def test_that_bytes_that_are_no_text_are_refused() -> None:
    assert messages(b'{"a": "\xff\xfe\xfd"}') == ["g.json: is not text (save it as UTF-8)"]


def test_that_a_file_that_vanishes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_json(tmp_path / "gone.json")
