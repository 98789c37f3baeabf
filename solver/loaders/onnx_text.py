"""ONNX models written as text: protobuf's text form, its JSON form, and ONNX's own syntax."""

import warnings
from typing import TYPE_CHECKING, Final

from solver.errors import Issue, ModelError
from solver.loaders.sniff import FileKind
from solver.text import decode, one_line

if TYPE_CHECKING:
    import onnx

_LONGEST: Final = 300
"""Characters of a parser's own words; some quote the whole line they fell over."""


def parse_text(content: bytes, kind: FileKind, file: str) -> "onnx.ModelProto":
    """The message that the text stands for, as onnx.load(format=...) reads it.

    Raises ModelError with the parser's words, which name line and column, for anything that is not
    written as the form asks for.
    """
    from google.protobuf import (  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; slow
        json_format,
        message,
        text_format,
    )
    from onnx import ModelProto, parser, serialization  # noqa: PLC0415 - only ONNX files need it

    try:
        text = decode(content)
    except UnicodeDecodeError as error:
        raise ModelError(Issue("is not text", file, "save it as UTF-8")) from error
    form = _form(text, kind)
    faults = (
        text_format.ParseError,
        json_format.ParseError,
        parser.ParseError,
        message.DecodeError,
        ValueError,
        RecursionError,
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # onnx calls its own syntax an experiment
            model: onnx.ModelProto = serialization.registry.get(form).deserialize_proto(
                text, ModelProto()
            )
    except faults as error:
        words = one_line(" ".join(str(error).split()))[:_LONGEST] or type(error).__name__
        hint = f'it must be what onnx.save(model, path, format="{form}") writes'
        raise ModelError(Issue(f"is damaged ONNX text ({form}): {words}", file, hint)) from error
    return model


def _form(text: str, kind: FileKind) -> str:
    """Which of the three it is, under the name that onnx gives it."""
    if kind is FileKind.ONNX_JSON:
        return "json"
    return "onnxtxt" if text.lstrip().startswith("<") else "textproto"
