"""Claim: what a file is shows in its content; what is no model is refused by its kind."""

import json
import os
import pickle  # noqa: TID251  # makes a file that must not be opened
import zipfile
from pathlib import Path

import pytest

from solver.errors import ModelError
from solver.loaders.options import LoadOptions
from solver.loaders.registry import load_file
from solver.loaders.sniff import FileKind, sniff

ONNX_HEAD = bytes([8, 8, 58, 3, 10, 1, 120])  # ir_version 8, then a graph of 3 bytes
DEVICE = "schema = 1\nid = 'x'\nflop_per_s = 1e6\n"
TEXT_PROTO = 'ir_version: 8\nproducer_name: "pytorch"\ngraph {\n}\n'

CONTENTS = [
    (b"", FileKind.EMPTY),
    (b" \n ", FileKind.EMPTY),
    (ONNX_HEAD, FileKind.ONNX),
    (ONNX_HEAD[:3], FileKind.ONNX),  # cut off: the ONNX reader says so
    (b'{"format": "schedule-graph"}', FileKind.SCHEDULE_GRAPH),
    (b' \n{"nodes": [], "format" : "schedule-graph"}', FileKind.SCHEDULE_GRAPH),
    (b'{"format": "poet.graph"}', FileKind.POET_GRAPH),
    (b'{"format": "poet.result"}', FileKind.POET_RESULT),
    (b'{"format": "poet.sweep"}', FileKind.POET_SWEEP),
    (b'{"format": "other"}', FileKind.JSON),
    (b"[1, 2]", FileKind.JSON),
    ('\ufeff{"format": "poet.graph"}'.encode(), FileKind.POET_GRAPH),
    ('{"format": "poet.graph"}'.encode("utf-16"), FileKind.POET_GRAPH),
    ('{"format": "poet.graph"}'.encode("utf-16-be"), FileKind.POET_GRAPH),
    (DEVICE.encode(), FileKind.DEVICE),
    (b"[source] # a table\nx = '1'\n\n[top]\nflop_per_s = 1\n", FileKind.DEVICE),
    (b"<!DOCTYPE html><html>404</html>", FileKind.HTML),
    (b"\n <HTML><body>gone</body>", FileKind.HTML),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:12\n", FileKind.LFS_POINTER),
    (b"\x89PNG\r\n\x1a\n\x00\x00", FileKind.IMAGE),
    (b"\xff\xd8\xff\xe0\x00\x10JFIF", FileKind.IMAGE),
    (b"%PDF-1.7\n", FileKind.PDF),
    (b"\x89HDF\r\n\x1a\n", FileKind.HDF5),
    (b"\x1c\x00\x00\x00TFL3", FileKind.TFLITE),
    (b'\x40\x00\x00\x00\x00\x00\x00\x00{"weight": {}}', FileKind.SAFETENSORS),
    (pickle.dumps({"weight": [1.0]}), FileKind.PICKLE),
    (TEXT_PROTO.encode(), FileKind.ONNX_TEXT),
    (b"just some words\n", FileKind.TEXT),
    (bytes(range(256)) * 4, FileKind.UNKNOWN),
]


@pytest.mark.parametrize(("content", "kind"), CONTENTS)
def test_that_content_decides_and_not_the_suffix(
    tmp_path: Path, content: bytes, kind: FileKind
) -> None:
    for suffix in (".onnx", ".json", ".png"):
        path = tmp_path / f"file{suffix}"
        path.write_bytes(content)
        assert sniff(path) is kind


def archive(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name in names:
            made.writestr(name, "x")
    return path


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("net/data/weights/weight_0", "net/models/model.json"), FileKind.PT2),
        (("serialized_exported_program.json",), FileKind.PT2),
        (("net/data.pkl", "net/constants.pkl", "net/code/x.py"), FileKind.TORCHSCRIPT),
        (("net/data.pkl", "net/data/0"), FileKind.TORCH_WEIGHTS),
        (("readme.txt",), FileKind.ZIP),
    ],
)
def test_that_archives_are_told_apart_by_what_they_hold(
    tmp_path: Path, names: tuple[str, ...], kind: FileKind
) -> None:
    assert sniff(archive(tmp_path / "a.onnx", *names)) is kind


def test_that_a_cut_off_archive_is_still_an_archive(tmp_path: Path) -> None:
    whole = archive(tmp_path / "whole.zip", "net/data.pkl").read_bytes()
    (tmp_path / "cut.pt").write_bytes(whole[: len(whole) // 2])
    assert sniff(tmp_path / "cut.pt") is FileKind.ZIP


def test_that_a_format_key_far_behind_is_found(tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    path.write_text(json.dumps({"notes": "x" * 100_000, "format": "schedule-graph"}))
    assert sniff(path) is FileKind.SCHEDULE_GRAPH


def test_that_a_letter_cut_by_the_window_is_no_binary(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("a" * 65_535 + "é" * 10, encoding="utf-8")  # 0xC3 0xA9 straddles byte 65536
    assert sniff(path) is FileKind.TEXT


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty file"),
        (b"<html>404</html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"%PDF-1.7", "PDF document"),
        (DEVICE.encode(), "--device"),
        (b"\x80\x04\x95", "unpickling runs code"),
        (b'{"format": "poet.result"}', "poet.result"),
        (b'{"nodes": []}', "schedule-graph"),
        (b'{"nodes": [}', "line 1, column 12"),
        (TEXT_PROTO.encode(), "no operator-set version"),
        (b"\x00\x01\x02\x03", "no kind of file known"),
        (b"import torch\n", "poet trace model.onnx:factory --input 1x3x32x32 -o NET.json"),
        (b'"""Nets."""\nfrom torch import nn\n', "poet trace model.onnx:factory"),
        (b"# Nets\n\nTo read *nets*:\n\nfrom torch import nn\n", "is text, not a model"),
        (b"Please import the model first.\n", "is text, not a model"),
    ],
)
def test_that_a_file_that_is_no_model_is_refused_in_one_sentence(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        load_file(path, LoadOptions())
    assert len(caught.value.issues) == 1
    assert words in str(caught.value)
    assert "model.onnx" in str(caught.value)
    assert caught.value.exit_code == 1


def test_that_a_folder_a_vanished_path_and_a_pipe_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, words in [
        (tmp_path, "folder"),
        (tmp_path / "gone.onnx", "does not exist"),
        (pipe, "not an ordinary file"),
    ]:
        with pytest.raises(ModelError, match=words):
            load_file(path, LoadOptions())
