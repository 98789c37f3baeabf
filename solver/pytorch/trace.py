"""Tracing a user's own module, or an exported program, into a training graph with its program."""

import hashlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from traceback import walk_tb
from typing import Any, Final

import torch
from torch import nn
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
)

from solver.errors import EngineError, Issue, ModelError, UsageError
from solver.graph import TrainingGraph, Weights
from solver.loaders.pt2_archive import Export
from solver.pytorch.exported import module_of
from solver.pytorch.fit import fitted
from solver.pytorch.joint import LOSSES, OWN_LOSS, trace_joint
from solver.pytorch.written import write_down
from solver.suggest import near, near_or_all
from solver.torch_program import Source
from solver.torch_request import InputSpec

_MODULE: Final = "poet_traced_module"
_TAKES_FUNCTIONS: Final = "_higher_order_ops"
"""The folder of PyTorch's operators that take functions."""
_NEEDS_DATA: Final = (DataDependentOutputException, DynamicOutputShapeException)


@dataclass(frozen=True, slots=True)
class Made:
    """What a factory makes: the network in training mode, and a batch, real tensors."""

    network: nn.Module
    batch: tuple[torch.Tensor, ...]


def trace_factory(
    path: Path,
    factory: str,
    inputs: Sequence[InputSpec],
    *,
    loss: str,
    seed: int,
    weights: Weights,
) -> TrainingGraph:
    """Run the user's factory and trace one training step of what it returns.

    `factory` takes no arguments and returns the network, or the network and a tuple of example
    inputs. `inputs` are wanted where it returns none.

    Raises UsageError and EngineError for everything that is not as it must be; what the user's own
    code raises is told with its place.
    """
    _check_loss(loss)
    digest = hashlib.sha256(read_bytes(path)).hexdigest()
    made = make(path, factory, inputs, seed, drawn=False)
    source = Source("factory", str(path), digest, factory, loss, seed)
    with users_code(path, f"{factory} cannot be traced"):
        joint = trace_joint(made.network, made.batch, loss)
    return write_down(joint, source, factory, weights, [spec.below for spec in inputs])


def trace_exported(
    path: Path, export: Export, sizes: Mapping[str, int], *, loss: str, weights: Weights
) -> TrainingGraph:
    """Trace one training step of an exported program that was read from `path`.

    `sizes` : what its inputs leave open, in elements.

    Raises UsageError for an unknown loss, ModelError for a program that cannot be trained.
    """
    _check_loss(loss)
    specs = [
        InputSpec(
            tuple(sizes[size] if isinstance(size, str) else size for size in entry.dims),
            entry.dtype,
        )
        for entry in export.step.inputs
    ]
    network, batch = module_of(export, sizes), tuple(map(_empty, specs))
    digest = hashlib.sha256(read_bytes(path)).hexdigest()
    source = Source("pt2", str(path.absolute()), digest, None, loss, 0)
    try:
        joint = trace_joint(network, batch, loss)
        return write_down(joint, source, path.name, weights, [spec.below for spec in specs])
    except EngineError as error:
        places = [replace(issue, where=issue.where or path.name) for issue in error.issues]
        raise ModelError(places) from error
    except Exception as error:  # a program of any kind fails in PyTorch's tracing in any way
        first = str(error).strip().partition("\n")[0]
        words = f"cannot be traced: {type(error).__name__}: {first}"
        raise ModelError(Issue(words, path.name)) from error


def _check_loss(loss: str) -> None:
    if loss not in {*LOSSES, OWN_LOSS}:
        words = f"unknown loss {loss!r}"
        raise UsageError(Issue(words, "--loss", near_or_all(loss, (*LOSSES, OWN_LOSS))))


def make(
    path: Path, factory: str, inputs: Sequence[InputSpec], seed: int, *, drawn: bool = True
) -> Made:
    """Import the user's file, call the factory under `seed`, and make the batch.

    `drawn` : whether numbers are drawn for `inputs`; where nothing reads them, they take no memory.

    Raises as `trace_factory`.
    """
    function = _function(path, factory)
    torch.manual_seed(seed)
    with users_code(path, f"{factory}() failed"):
        answer = function()
    network, batch = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)  # noqa: PLR2004 - network and batch
    if not isinstance(network, nn.Module):
        words = f"{factory}() returns {type(network).__name__}"
        hint = "a torch.nn.Module is wanted, or one and a tuple of example inputs"
        raise EngineError(Issue(words, str(path), hint))
    network = fitted(network, f"{path}: {factory}")
    network.train()
    if inputs:
        drawn_batch = random_batch(inputs, seed) if drawn else tuple(map(_empty, inputs))
        return Made(network, drawn_batch)
    return Made(network, _batch(batch, f"{path}: {factory}"))


def _batch(given: object, where: str) -> tuple[torch.Tensor, ...]:
    """The example inputs of a factory, copied."""
    if isinstance(given, torch.Tensor):
        given = (given,)
    if not isinstance(given, tuple | list) or not given:
        words = "says nothing of its inputs"
        raise UsageError(Issue(words, where, "give --input 1x3x32x32, or return example inputs"))
    for place, tensor in enumerate(given):
        if not isinstance(tensor, torch.Tensor):
            words = f"example input {place + 1} is {type(tensor).__name__}, no tensor"
            raise EngineError(Issue(words, where))
    try:  # copied, so that a slice or an expanded tensor has the bytes that its shape says
        return tuple(tensor.detach().clone() for tensor in given)
    except RuntimeError as error:
        words = "the example inputs do not fit into memory"
        raise EngineError(Issue(words, where, "give --input SHAPE instead")) from error


def random_batch(inputs: Sequence[InputSpec], seed: int) -> tuple[torch.Tensor, ...]:
    """Tensors of those shapes, the same for the same seed; whole numbers are below their limit.

    Raises UsageError for one that this machine cannot hold.
    """
    generator = torch.Generator().manual_seed(seed)
    return tuple(_random(spec, generator) for spec in inputs)


def _random(spec: InputSpec, generator: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, spec.dtype)
    with _sized(spec):
        if dtype.is_floating_point:
            return torch.randn(spec.shape, generator=generator).to(dtype)
        return torch.randint(spec.below, spec.shape, generator=generator).to(dtype)


def _empty(spec: InputSpec) -> torch.Tensor:
    """A tensor of that shape without data."""
    with _sized(spec):
        return torch.empty(spec.shape, dtype=getattr(torch, spec.dtype), device="meta")


@contextmanager
def _sized(spec: InputSpec) -> Iterator[None]:
    """Tells sizes that are none, or that this machine cannot hold. Raises UsageError."""
    try:
        yield
    except (RuntimeError, OverflowError, TypeError) as error:  # numbers of no tensor, or memory
        shape = "x".join(str(size) for size in spec.shape)
        words = f"an input of {shape} ({spec.dtype}) cannot be made here"
        raise UsageError(Issue(words, "--input", str(error).partition("\n")[0])) from error


def read_bytes(path: Path) -> bytes:
    """The file. Raises EngineError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise EngineError(Issue(error.strerror or str(error), str(path))) from error


def _function(path: Path, factory: str) -> Any:
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise EngineError(Issue("is no Python file", str(path), "module.py:factory is wanted"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module  # dataclasses and the like look their module up
    sys.path.insert(0, str(path.parent.resolve()))  # as if it were run as a script
    with users_code(path, "cannot be imported"):
        spec.loader.exec_module(module)
    function = getattr(module, factory, None)
    if not callable(function):
        names = [name for name, value in vars(module).items() if callable(value)]
        raise UsageError(Issue(f"has no function {factory!r}", str(path), near(factory, names)))
    return function


@contextmanager
def users_code(path: Path, what: str) -> Iterator[None]:
    """Runs code of the user's file `path`: whatever it raises, also its exit, is told.

    Raises EngineError with the line of that file; `what` says what failed.
    """
    try:
        yield
    except EngineError:
        raise
    except (Exception, SystemExit) as error:  # the user's own code may raise anything
        raise _told(error, path, what) from error


def _told(error: BaseException, path: Path, what: str) -> EngineError:
    """The user's error with the line of their file that it came from."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f"{path}:{line}" if line else str(path)
    first = str(error).strip().partition("\n")[0].rstrip(":")
    words = (
        f"{what}: {type(error).__name__}: {first}" if first else f"{what}: {type(error).__name__}"
    )
    return EngineError(Issue(words, where, _way_out(error, first)))


def _way_out(error: BaseException, first: str) -> str:
    """What to do about an error of PyTorch's tracing whose own words (`first`) do not say it."""
    if isinstance(error, _NEEDS_DATA):
        return "what is computed, and its shapes, may not depend on the values of tensors"
    if isinstance(error, AssertionError) and "FakeTensor" in first:
        return "a tensor of the module must be a parameter or a buffer: register_buffer"
    if "requires gradients, and received a mutation" in first:
        return "what is trained may not change in the forward pass: change it after the step"
    frames = walk_tb(error.__traceback__)
    if any(_TAKES_FUNCTIONS in Path(frame.f_code.co_filename).parts for frame, _ in frames):
        return "operators that take functions (torch.cond, while_loop) cannot be traced: write out"
    return ""
