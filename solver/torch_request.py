"""What a user says of the inputs of a module: "1x3x32x32", "2x64:int64<1000"."""

import re
from dataclasses import dataclass
from typing import Final

from solver.errors import Issue, UsageError

DEFAULT_LOSS: Final = "softmax-ce"
"""What a module's output is trained with unless the user says more."""
_DTYPES: Final = (
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
)  # fmt: skip
_FORM: Final = re.compile(
    r"(?P<shape>\d{1,18}(?:x\d{1,18})*)(?::(?P<dtype>[a-z0-9]+))?(?:<(?P<below>\d{1,18}))?",
    re.ASCII,
)
_DEFAULT_BELOW: Final = 2


@dataclass(frozen=True, slots=True)
class InputSpec:
    """Shape and torch dtype name of one input; whole numbers are drawn from 0 .. below - 1."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    below: int = _DEFAULT_BELOW

    @classmethod
    def parse(cls, text: str) -> "InputSpec":
        """Read "SHAPE[:DTYPE][<BELOW]". Raises UsageError for anything else."""
        match = _FORM.fullmatch(text.strip())
        hint = "1x3x32x32, 2x64:int64<1000"
        if match is None:
            raise UsageError(Issue(f"{text!r} is no shape", "--input", hint))
        dtype = match["dtype"] or ("int64" if match["below"] else "float32")
        if dtype not in _DTYPES:
            raise UsageError(Issue(f"unknown type {dtype!r}", "--input", ", ".join(_DTYPES)))
        below = int(match["below"] or _DEFAULT_BELOW)
        if below < 1:
            raise UsageError(Issue("numbers below 0 cannot be drawn", "--input", hint))
        return cls(tuple(int(size) for size in match["shape"].split("x")), dtype, below)


def split_factory(text: str) -> tuple[str, str]:
    """File and function of "module.py:factory". Raises UsageError for anything else."""
    path, colon, factory = text.rpartition(":")
    if not colon or not path or not factory.isidentifier():
        words = f"{text!r} does not name a function of a file"
        raise UsageError(Issue(words, "", "module.py:factory is wanted"))
    return path, factory
