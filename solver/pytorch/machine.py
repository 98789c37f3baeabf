"""Executing actions of a traced step on real tensors: compute, recompute, page out, page in, free.

The machine does what the actions say and nothing else. What it is told to keep it keeps, what it is
told to write goes to a real file, and what is missing when an op wants it is a fault, told with the
action that it is a fault of.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EIO
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

from solver.errors import EngineError, Issue
from solver.graph import TrainingGraph
from solver.pytorch.arguments import decode, operator
from solver.schedule import Action, ActionKind
from solver.torch_program import Call, Program


class ActionError(Exception):
    """An action that cannot be done; the text says why."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A tensor in storage: where its bytes are, and how they are to be looked at."""

    start: int
    size: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: torch.dtype


class Machine:
    """RAM, storage and weights of one step.

    weights : value -> tensor, of parameters, buffers and constants. batch : value -> tensor.
    folder : where storage is a file; None is the system's temporary folder. gradients, updates,
    loss : copies taken at first runs; they are no part of the step's memory.
    """

    def __init__(
        self,
        graph: TrainingGraph,
        program: Program,
        weights: Mapping[str, torch.Tensor],
        batch: Mapping[str, torch.Tensor],
        folder: Path | None = None,
    ) -> None:
        self._graph, self._program = graph, program
        self._weights = weights
        self._batch = {value.op: batch[value.value] for value in program.inputs}
        self._ram: dict[str, torch.Tensor] = {}
        self._operators: dict[str, Any] = {}
        self._done: set[str] = set()
        self._written: dict[str, _Written] = {}
        with _storage_faults():
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self._end = 0
        self.gradients: dict[str, torch.Tensor] = {}
        self.updates: dict[str, torch.Tensor] = {}
        self.loss: torch.Tensor | None = None
        try:
            for tensor in graph.tensors:
                if tensor.in_storage_at_start:
                    self._write(tensor.name, self._batch[tensor.producer])
        except EngineError:
            self.close()
            raise

    def __enter__(self) -> "Machine":
        return self

    def close(self) -> None:
        """Give storage back."""
        with suppress(OSError):  # what a full disk did not take is wanted by nobody any more
            self._file.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def live_bytes(self) -> int:
        """Bytes of all distinct storages in RAM, weights and batch apart."""
        storages = {
            tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
            for tensor in self._ram.values()
            if tensor.untyped_storage().nbytes()
        }
        return sum(storages.values())

    def do(self, action: Action) -> None:
        """Do one action. Raises ActionError when it cannot be done."""
        if action.kind.runs_op:
            self._run(
                self._graph.ops[action.target].name, again=action.kind is ActionKind.RECOMPUTE
            )
            return
        name = self._graph.tensors[action.target].name
        match action.kind:
            case ActionKind.FREE:
                self._held(name)
                del self._ram[name]
            case ActionKind.PAGE_OUT:
                self._write(name, self._held(name))
            case _:
                self._read(name)

    def prepared(self, op: str) -> Callable[[], object]:
        """A call of `op` on what is in RAM, to be made any number of times; nothing is kept.

        Views are made now, once. Raises ActionError when an input is not in RAM.
        """
        if op in self._batch:
            copied: Callable[[], object] = self._batch[op].clone
            return copied
        call = self._program.by_name[op]
        args, kwargs = self._arguments(call)
        function = self._operator(call.target)
        return lambda: function(*args, **kwargs)

    def digest(self, name: str) -> bytes:
        """A digest of the elements of a tensor in RAM; its storage may hold more, set by nobody."""
        flat = self._held(name).contiguous().view(-1).view(torch.uint8)
        return hashlib.blake2b(flat.numpy().tobytes(), digest_size=16).digest()

    def _held(self, name: str) -> torch.Tensor:
        if name not in self._ram:
            raise ActionError(f"{name} is not in RAM")
        return self._ram[name]

    def _run(self, op: str, *, again: bool) -> None:
        if again is not (op in self._done):
            raise ActionError(
                f"{op} has run before" if op in self._done else f"{op} has not run before"
            )
        self._done.add(op)
        if op in self._batch:
            name = self._graph.ops[self._graph.op_index[op]].outputs[0]
            self._ram[name] = self._batch[op].clone()
            return
        call = self._program.by_name[op]
        given = self._arguments(call)
        for output in call.outputs:  # what is made again is replaced, not held twice
            if output is not None:
                self._ram.pop(output, None)
        made = self._call(call, *given)
        for output, tensor in zip(call.outputs, made, strict=True):
            if output is not None:
                self._ram[output] = tensor
        if not again:
            self._take(call)

    def _arguments(self, call: Call) -> tuple[list[Any], dict[str, Any]]:
        """Arguments of a call; views are made for it alone."""
        values: dict[str, torch.Tensor] = {}

        def value(name: str) -> torch.Tensor:
            if name in values:
                return values[name]
            if name in self._weights:
                return self._weights[name]
            return self._held(self._program.storage[name])

        for view in self._program.views_for(call):
            args, kwargs = _decoded(view, value)
            found = self._call(view, args, kwargs)
            values |= {
                name: tensor
                for name, tensor in zip(view.outputs, found, strict=True)
                if name is not None
            }
        return _decoded(call, value)

    def _call(self, call: Call, args: list[Any], kwargs: dict[str, Any]) -> list[torch.Tensor]:
        function = self._operator(call.target)
        try:
            found = function(*args, **kwargs)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            first = str(error).strip().partition("\n")[0]
            raise ActionError(f"{call.target} fails: {first}") from error
        made = [found] if isinstance(found, torch.Tensor) else list(found or ())
        if len(made) != len(call.outputs):
            words = f"{call.target} returns {len(made)} values, the program names"
            raise ActionError(f"{words} {len(call.outputs)}")
        return made

    def _operator(self, target: str) -> Any:
        if target not in self._operators:
            self._operators[target] = operator(target)
        return self._operators[target]

    def _take(self, call: Call) -> None:
        """Copy what the step is for, as soon as it is there."""
        program, made = self._program, set(call.outputs)
        for key, name in program.gradients.items():
            if program.storage[name] in made:
                self.gradients[key] = self._value(name).clone()
        for key, name in program.updates.items():
            if program.storage[name] in made:
                self.updates[key] = self._value(name).clone()
        if program.storage[program.loss] in made:
            self.loss = self._value(program.loss).clone()

    def _value(self, name: str) -> torch.Tensor:
        """A value, through the views that lead to it."""
        maker = self._program.maker.get(name)
        if maker is None or not maker.view:
            return self._held(self._program.storage[name])
        args, kwargs = self._arguments(maker)
        return self._call(maker, args, kwargs)[maker.outputs.index(name)]

    def _write(self, name: str, tensor: torch.Tensor) -> None:
        data = _bytes_of(tensor)
        with _storage_faults():
            self._file.seek(self._end)
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())
        self._written[name] = _Written(
            self._end,
            len(data),
            tuple(tensor.shape),
            tuple(tensor.stride()),
            tensor.storage_offset(),
            tensor.dtype,
        )
        self._end += len(data)

    def _read(self, name: str) -> None:
        if name in self._ram:
            raise ActionError(f"{name} is in RAM already")
        if name not in self._written:
            raise ActionError(f"{name} was never written to storage")
        found = self._written[name]
        storage = torch.empty(found.size, dtype=torch.uint8)
        if found.size:
            with _storage_faults():
                self._file.seek(found.start)
                if self._file.readinto(memoryview(storage.numpy())) != found.size:
                    raise OSError(EIO, "it is shorter than what was written to it")
        tensor = torch.empty(0, dtype=found.dtype)
        tensor.set_(storage.untyped_storage(), found.offset, found.shape, found.stride)
        self._ram[name] = tensor


@contextmanager
def _storage_faults() -> Iterator[None]:
    """A disk that is full or gone is no fault of the schedule. Raises EngineError."""
    try:
        yield
    except OSError as error:
        words = f"the file that stands for storage cannot be used: {error.strerror or error}"
        hint = "TMPDIR names the folder where it is made"
        raise EngineError(Issue(words, tempfile.gettempdir(), hint)) from error


def _decoded(call: Call, value: Any) -> tuple[list[Any], dict[str, Any]]:
    args = [decode(argument, value) for argument in call.args]
    return args, {key: decode(argument, value) for key, argument in call.kwargs.items()}


def _bytes_of(tensor: torch.Tensor) -> bytes:
    """The bytes of a tensor's whole storage."""
    storage = tensor.untyped_storage()
    flat = torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))
    return bytes(flat.numpy().tobytes())
