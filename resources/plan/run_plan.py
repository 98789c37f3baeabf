"""Runs a poet.plan: training steps of a PyTorch network in the order of a schedule.

It needs nothing but PyTorch. On the command line it trains a few steps on numbers drawn at random:

    python run_plan.py plan.json --steps 3

In a program of yours the step takes the place of forward and backward:

    plan = Plan.read("plan.json")
    network = plan.build()  # or a network of your own with the same parameters and buffers
    step = Step(plan, network)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    for images, labels in batches:
        optimizer.zero_grad()
        loss = step(images, labels)  # gradients are in .grad, running statistics are updated
        optimizer.step()

Only what the plan says is in memory at any time: what it frees is gone, what it writes goes to a
file, and what it wants again is computed or read again. Parameters, buffers and gradients in .grad
are not among the bytes that the plan promises; they are there in any case. Everything runs on the
CPU.
"""

import argparse
import ctypes
import hashlib
import importlib.util
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EIO
from functools import cache
from pathlib import Path
from typing import IO, Any

if __name__ == "__main__":  # Ctrl+C ends it in silence for the seconds that PyTorch takes to come
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import torch

Json = dict[str, Any]
KINDS = frozenset({"compute", "recompute", "page_out", "page_in", "free"})


class PlanError(Exception):
    """A plan that cannot be run; the text says why."""


class Plan:
    """A poet.plan, version 1: calls of ATen operators, and the order in which they are done.

    document : the JSON. calls : by name, those that make tensors. views : by the value that each
    returns, those that only look at a tensor. storage : value -> the tensor whose bytes it has.
    peak_bytes : the largest sum of tensors in memory that was promised.
    """

    def __init__(self, document: Any, folder: Path = Path()) -> None:
        """Take a parsed document; `folder` is where its module is looked for as well."""
        if not isinstance(document, dict) or document.get("format") != "poet.plan":
            raise PlanError("this is no poet.plan")
        if document.get("version") != 1:
            raise PlanError(f"version {document.get('version')} is not known here, only 1 is")
        try:
            self.folder = folder
            self.program: Json = document["program"]
            self.actions = [(each["kind"], each["target"]) for each in document["actions"]]
            for kind in {kind for kind, _ in self.actions} - KINDS:
                raise PlanError(f"there is no action of the kind {kind!r}")
            self.peak_bytes: int = document["promised"]["peak_bytes"]
            self.storage: dict[str, str] = self.program["storage"]
            self.constants = {each["value"]: _constant(each) for each in self.program["constants"]}
            self.inputs: list[Json] = self.program["inputs"]
            calls: list[Json] = self.program["calls"]
            self.calls = {call["name"]: call for call in calls if not call["view"]}
            self.views = {
                name: call for call in calls if call["view"] for name in call["outputs"] if name
            }
        except (KeyError, TypeError, AttributeError) as error:
            raise PlanError(f"the plan is damaged: {error!r}") from error

    @classmethod
    def read(cls, path: str | Path) -> "Plan":
        """The plan in a file. Raises PlanError when it cannot be read."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PlanError(f"{path} cannot be read: {error}") from error
        return cls(document, Path(path).parent)

    def build(
        self, module: str | Path | None = None, *, trust_export: bool = False
    ) -> torch.nn.Module:
        """The network in training mode, made by the factory that was traced, from the same seed.

        `module` : the file of the factory, where it is no longer at its old place. `trust_export` :
        a .pt2 may be loaded by PyTorch, which runs what a malicious one holds.
        """
        source = self.program["source"]
        exported = source["kind"] != "factory"
        if exported and not trust_export:
            raise PlanError(
                f"the plan is of {source['file']}, and PyTorch runs what a malicious .pt2 holds "
                "while it loads it: say --trust-export where it is your own, or give Step a "
                "network with the same parameters and buffers"
            )
        path = self._traced(module or source["file"], source["sha256"])
        return _exported(path) if exported else _made(path, source["factory"], source["seed"])

    def _traced(self, wanted: str | Path, sha256: str) -> Path:
        """The file that was traced: where it stood, else beside the plan."""
        places = (Path(wanted), self.folder / wanted, self.folder / Path(wanted).name)
        there = [path for path in places if path.is_file()]
        for path in there:
            if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
                return path
        if there:
            raise PlanError(f"{there[0]} has changed since it was traced: trace and solve it again")
        raise PlanError(f"{wanted} is not there: say where it is (--module)")


def _made(path: Path, factory: str, seed: int) -> torch.nn.Module:
    """What the factory in that file makes from the seed."""
    spec = importlib.util.spec_from_file_location("planned_module", path)
    if spec is None or spec.loader is None:
        raise PlanError(f"{path} is no Python file")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["planned_module"] = loaded
    sys.path.insert(0, str(path.parent.resolve()))  # as if it were run as a script
    spec.loader.exec_module(loaded)
    torch.manual_seed(seed)
    answer = getattr(loaded, factory)()
    network: torch.nn.Module = answer[0] if isinstance(answer, tuple) else answer
    return network.train()


def _exported(path: Path) -> torch.nn.Module:
    """The network in a .pt2, whatever runs while it is loaded."""
    try:
        network: torch.nn.Module = torch.export.load(path).module(check_guards=False)
    except Exception as error:  # PyTorch's readers raise whatever they do
        words = f"this PyTorch ({torch.__version__}) cannot read {path}"
        raise PlanError(f"{words}: {type(error).__name__}: {error}") from error
    return network  # its layers' modes are arguments of its calls


class Step:
    """One training step, as often as it is called.

    peak_bytes : the largest sum of tensors in memory so far.
    """

    def __init__(self, plan: Plan, network: torch.nn.Module) -> None:
        self.plan = plan
        self.peak_bytes = 0
        self._program = plan.program
        parameters = dict(network.named_parameters(remove_duplicate=False))
        state = parameters | dict(network.named_buffers(remove_duplicate=False))
        names = self._program["parameters"] | self._program["buffers"]
        missing = sorted(set(names.values()) - set(state))
        if missing:
            raise PlanError(f"the network has no {', '.join(missing)}")
        self._state = state
        self._weights = {value: state[name] for value, name in names.items()} | plan.constants
        self._memory: dict[str, torch.Tensor] = {}
        self._batch: dict[str, torch.Tensor] = {}
        self._done: set[str] = set()
        self._taken: dict[str, torch.Tensor] = {}
        self._wanted = [
            self._program["loss"],
            *self._program["gradients"].values(),
            *self._program["updates"].values(),
        ]

    def __call__(self, *batch: torch.Tensor) -> torch.Tensor:
        """Do the step for the tensors of one batch, labels last; the loss.

        Gradients are added to .grad and buffers updated once everything is done: a step that fails
        leaves the network as it was. Raises PlanError.
        """
        self._begin(batch)
        do: dict[str, Callable[[str], None]] = {
            "compute": self._compute, "recompute": self._recompute, "free": self._free,
            "page_out": self._page_out, "page_in": self._page_in,
        }  # fmt: skip
        with torch.no_grad(), _Storage() as self._storage:
            for name, tensor in self._batch.items():
                self._storage.write(name, tensor.clone())  # of a slice, only what it shows
            for place, (kind, target) in enumerate(self.plan.actions):
                try:
                    do[kind](target)
                except (PlanError, KeyError, RuntimeError) as error:
                    words = f"action {place + 1}, {kind} {target}: {error}"
                    raise PlanError(words) from error
                self.peak_bytes = max(self.peak_bytes, _live_bytes(self._memory.values()))
            self._memory.clear()
            return self._finish()

    def _begin(self, batch: Sequence[torch.Tensor]) -> None:
        inputs = self.plan.inputs
        if len(batch) != len(inputs):
            names = ", ".join(each["op"] for each in inputs)
            raise PlanError(f"the step takes {len(inputs)} tensors: {names}")
        for each, tensor in zip(inputs, batch, strict=True):
            dtype = str(tensor.dtype).removeprefix("torch.")
            if list(tensor.shape) != each["shape"] or dtype != each["dtype"]:
                shape = list(tensor.shape)
                wanted = f"{each['shape']} {each['dtype']}"
                raise PlanError(f"{each['op']} is {shape} {dtype}, the plan is for {wanted}")
        self._batch = {
            each["op"]: tensor.detach() for each, tensor in zip(inputs, batch, strict=True)
        }
        self._memory, self._done, self._taken = {}, set(), {}

    def _finish(self) -> torch.Tensor:
        program = self._program
        missing = [value for value in self._wanted if value not in self._taken]
        if missing:
            raise PlanError(f"no action makes {missing[0]}")
        for name, value in program["gradients"].items():
            parameter, gradient = self._state[name], self._taken[value]
            if parameter.grad is None:
                parameter.grad = gradient
            else:
                parameter.grad.add_(gradient)
        for name, value in program["updates"].items():
            self._state[name].copy_(self._taken[value])
        return self._taken[program["loss"]]

    # The five kinds of action

    def _compute(self, op: str) -> None:
        if op in self._done:
            raise PlanError("it has run before")
        self._run(op)
        self._done.add(op)
        for value in self._wanted:  # taken when first made: a buffer keeps its old value meanwhile
            if value not in self._taken and self.plan.storage.get(value) in self._memory:
                self._taken[value] = self._value(value, {}).clone()

    def _recompute(self, op: str) -> None:
        if op not in self._done:
            raise PlanError("it has not run before")
        self._run(op)

    def _free(self, tensor: str) -> None:
        self._held(tensor)
        del self._memory[tensor]

    def _page_out(self, tensor: str) -> None:
        self._storage.write(tensor, self._held(tensor))

    def _page_in(self, tensor: str) -> None:
        if tensor in self._memory:
            raise PlanError(f"{tensor} is in memory already")
        self._memory[tensor] = self._storage.read(tensor)

    def _run(self, op: str) -> None:
        if op in self._batch:
            self._memory[op] = self._batch[op].clone()
            return
        if op not in self.plan.calls:
            raise PlanError("the program has no such op")
        call = self.plan.calls[op]
        arguments = self._arguments(call, {})
        for name in filter(None, call["outputs"]):  # made again: the old one goes first
            self._memory.pop(name, None)
        made = self._call(call, *arguments)
        self._memory |= {
            name: tensor for name, tensor in zip(call["outputs"], made, strict=True) if name
        }

    # Values and arguments of calls

    def _held(self, tensor: str) -> torch.Tensor:
        if tensor not in self._memory:
            raise PlanError(f"{tensor} is not in memory")
        return self._memory[tensor]

    def _value(self, name: str, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        """A weight, a tensor in memory, or a view of one; `seen` are views made already."""
        if name in self._weights:
            return self._weights[name]
        view = self.plan.views.get(name)
        if view is None:
            return self._held(self.plan.storage.get(name, name))
        if name not in seen:
            made = self._call(view, *self._arguments(view, seen))
            seen |= {key: tensor for key, tensor in zip(view["outputs"], made, strict=True) if key}
        return seen[name]

    def _arguments(self, call: Json, seen: dict[str, torch.Tensor]) -> tuple[list[Any], Json]:
        args = [self._argument(each, seen) for each in call["args"]]
        return args, {key: self._argument(each, seen) for key, each in call["kwargs"].items()}

    def _argument(self, argument: Any, seen: dict[str, torch.Tensor]) -> Any:
        if not isinstance(argument, dict):
            return argument
        ((kind, held),) = argument.items()
        match kind:
            case "value":
                return self._value(held, seen)
            case "list":
                return [self._argument(each, seen) for each in held]
            case "float":
                return float(held)
            case "device":
                return torch.device(held)
            case "dtype" | "layout" | "memory_format":
                return getattr(torch, held)
            case _:
                raise PlanError(f"there is no argument of the kind {kind!r}")

    def _call(self, call: Json, args: list[Any], kwargs: Json) -> list[Any]:
        made = _operator(call["target"])(*args, **kwargs)
        return [made] if isinstance(made, torch.Tensor) else list(made)


class _Storage:
    """Tensors in a file, each in a place of its own. Raises PlanError where the file fails."""

    def __enter__(self) -> "_Storage":
        with _told():
            self._file: IO[bytes] = tempfile.TemporaryFile()
        self._written: dict[str, tuple[int, int, Any, tuple[Any, ...]]] = {}
        self._end = 0
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what a full disk did not take is wanted by nobody any more
            self._file.close()

    def write(self, name: str, tensor: torch.Tensor) -> None:
        """Keep the bytes of the tensor's storage."""
        storage = tensor.untyped_storage()
        start = self._written[name][0] if name in self._written else self._end
        look = tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride())
        with _told():
            self._file.seek(start)
            self._file.write(_memory_of(storage))
            self._file.flush()
        self._written[name] = start, storage.nbytes(), tensor.dtype, look
        self._end = max(self._end, start + storage.nbytes())

    def read(self, name: str) -> torch.Tensor:
        """The tensor as it was written."""
        if name not in self._written:
            raise PlanError(f"{name} was never written to storage")
        start, size, dtype, look = self._written[name]
        storage = torch.UntypedStorage(size)
        with _told():
            self._file.seek(start)
            got = self._file.readinto(_memory_of(storage))  # type: ignore[attr-defined] # files have it
            if got != size:
                raise OSError(EIO, "it is shorter than what was written to it")
        return torch.empty(0, dtype=dtype).set_(storage, *look)


@contextmanager
def _told() -> Iterator[None]:
    """A disk that is full is no fault of the plan."""
    try:
        yield
    except OSError as error:
        words = f"the file for what is paged out, in {tempfile.gettempdir()} (TMPDIR), fails"
        raise PlanError(f"{words}: {error.strerror}") from error


@cache
def _operator(target: str) -> Any:
    """The ATen operator, "aten.relu.default"."""
    found: Any = torch.ops
    for part in target.split("."):
        found = getattr(found, part, None)
    if not target.startswith("aten.") or not isinstance(found, torch._ops.OpOverload):  # noqa: SLF001 - its only name
        raise PlanError(f"this PyTorch ({torch.__version__}) has no {target}")
    return found


def _memory_of(storage: torch.UntypedStorage) -> memoryview:
    """The bytes of a storage themselves, without a copy."""
    size = storage.nbytes()
    return memoryview((ctypes.c_char * size).from_address(storage.data_ptr()) if size else b"")


def _live_bytes(tensors: Iterable[torch.Tensor]) -> int:
    storages = (tensor.untyped_storage() for tensor in tensors)
    return sum({each.data_ptr(): each.nbytes() for each in storages if each.nbytes()}.values())


def _constant(each: Json) -> torch.Tensor:
    data = [float(item["float"]) if isinstance(item, dict) else item for item in each["data"]]
    return torch.tensor(data, dtype=getattr(torch, each["dtype"])).reshape(each["shape"])


def random_batches(plan: Plan, seed: int) -> Iterator[list[torch.Tensor]]:
    """Batches to try a plan with; whole numbers are below what was traced, else 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        batch = []
        for each in plan.inputs:
            dtype = getattr(torch, each["dtype"])
            if dtype.is_floating_point:
                batch.append(torch.randn(each["shape"], generator=generator).to(dtype))
            else:
                below = each["below"] or 2
                drawn = torch.randint(below, each["shape"], generator=generator)
                batch.append(drawn.to(dtype))
        yield batch


def main(arguments: Sequence[str] | None = None) -> int:
    """Train a few steps by SGD; 0 when they kept to the promised peak."""
    parser = argparse.ArgumentParser(description="Train some steps of a poet.plan.")
    parser.add_argument("plan", help="the plan, made by `poet solve --plan`")
    parser.add_argument("--module", help="the traced module, where it is no longer at its place")
    parser.add_argument("--trust-export", action="store_true", help="load the .pt2 of the plan")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    say = sys.stdout.write
    try:
        plan = Plan.read(given.plan)
        network = plan.build(given.module, trust_export=given.trust_export)
        step = Step(plan, network)
        optimizer = torch.optim.SGD(network.parameters(), lr=given.lr)
        batches = random_batches(plan, given.seed)
        for count in range(1, given.steps + 1):
            optimizer.zero_grad()
            loss = step(*next(batches))
            optimizer.step()
            say(f"step {count}: loss {float(loss):.6f}\n")
    except (PlanError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    say(f"peak {step.peak_bytes:,} B, promised {plan.peak_bytes:,} B\n")
    return 0 if step.peak_bytes <= plan.peak_bytes else 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
