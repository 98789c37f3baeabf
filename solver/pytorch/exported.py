"""Exported programs (.pt2) as modules, from archives that hold nothing that could run."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import nn

from solver.errors import Issue, ModelError
from solver.loaders.pt2_archive import Export, read_export


def load_exported(path: Path, shapes: Sequence[Sequence[int]]) -> nn.Module:
    """The module of an exported program for inputs of those shapes, as it was exported.

    Raises ModelError as `read_export` and `module_of`.
    """
    export = read_export(path)
    return module_of(export, export.step.sizes_for(shapes))


def module_of(export: Export, sizes: Mapping[str, int]) -> nn.Module:
    """The module of a checked program whose open sizes are settled.

    Raises ModelError where this PyTorch cannot read it.
    """
    try:
        program = torch.export.load(io.BytesIO(export.packed(sizes)))
        module: nn.Module = program.module(check_guards=False)
    except Exception as error:  # torch raises whatever its readers do
        first = str(error).strip().partition("\n")[0][:200]
        words = (
            f"was exported by PyTorch {export.step.torch}, and this one ({torch.__version__}) "
            f"cannot read it: {type(error).__name__}: {first}"
        )
        hint = "export it again with the version that is installed here"
        raise ModelError(Issue(words, export.file, hint)) from error
    # An exported module refuses to change its mode: its layers' modes are arguments of operators.
    vars(module).pop("train", None)
    vars(module).pop("eval", None)
    return module
