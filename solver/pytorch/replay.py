"""Replaying a schedule on real tensors, beside the same step in plain order and in eager mode."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import torch

from solver.errors import EngineError, Issue
from solver.graph import TrainingGraph
from solver.program_check import program_of
from solver.pytorch.eager import Gradients, eager_gradients, largest_error, run_anew
from solver.pytorch.exported import load_exported
from solver.pytorch.joint import labels_for, scores_of
from solver.pytorch.machine import ActionError, Machine
from solver.pytorch.trace import Made, make, random_batch, users_code
from solver.replay_report import EAGER_TOLERANCE, KindTimes, ReplayReport
from solver.schedule import Action, ActionKind
from solver.simulate import Trace
from solver.torch_program import Program, Source
from solver.torch_request import InputSpec
from solver.torch_source import find_source

Progress = Callable[[int, int], None]
"""Called with the number of actions done and of all actions."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Network, weights and batch of a program, as they are made anew for a replay from `file`."""

    network: torch.nn.Module
    weights: Mapping[str, torch.Tensor]
    batch: Mapping[str, torch.Tensor]
    seed: int
    file: Path


def replay(trace: Trace, progress: Progress, near: Sequence[Path] = ()) -> ReplayReport:
    """Execute the schedule of `trace`, whose graph was traced, and compare.

    `near` : folders where the traced file is looked for when it is not where it stood.

    Raises EngineError where the graph has no program, its module has changed, or PyTorch lacks an
    operator of it.
    """
    graph = trace.problem.costed.graph
    program = program_of(graph)
    setting = prepare(program, near)
    with deterministic():
        plain = _plain(graph, program, setting)
        return _scheduled(trace, program, setting, plain, progress)


def prepare(program: Program, near: Sequence[Path] = ()) -> Setting:
    """Make network and batch again. Raises EngineError where the file is not the one traced."""
    source, path = program.source, find_source(program.source, near)
    drawn = [value for value in program.inputs if value.below]
    specs = [InputSpec(tuple(value.shape), value.dtype, value.below) for value in drawn]
    if source.kind == "pt2":
        made = Made(
            load_exported(path, [spec.shape for spec in specs]), random_batch(specs, source.seed)
        )
    else:
        made = make(path, source.factory or "", specs, source.seed)
    state = dict(made.network.named_parameters(remove_duplicate=False))
    state |= dict(made.network.named_buffers(remove_duplicate=False))
    weights = {
        value: _state(state, key).detach()
        for value, key in (*program.parameters.items(), *program.buffers.items())
    }
    for constant in program.constants:
        dtype = getattr(torch, constant.dtype)
        data = [float(item["float"]) if isinstance(item, dict) else item for item in constant.data]
        weights[constant.value] = torch.tensor(data, dtype=dtype).reshape(constant.shape)
    batch = list(made.batch)
    if len(batch) < len(program.inputs):
        batch.append(_labels(made, source, path))
    _check_batch(program, batch)
    values = (value.value for value in program.inputs)
    setting_batch = dict(zip(values, batch, strict=True))
    return Setting(made.network, weights, setting_batch, source.seed, path)


def _state(state: Mapping[str, torch.Tensor], key: str) -> torch.Tensor:
    if key not in state:
        raise EngineError(Issue(f"the network has no {key} any more", "", "trace it again"))
    return state[key]


def _labels(made: Made, source: Source, path: Path) -> torch.Tensor:
    """Labels of any value that fit: class numbers below the number of classes, or targets."""
    loss, seed = source.loss, source.seed
    torch.manual_seed(seed)
    with users_code(path, "forward failed"), torch.enable_grad():
        scores = scores_of(run_anew(made.network, made.batch))
    labels = labels_for(loss, scores)
    if labels is None:
        raise EngineError(Issue(f"the loss {loss} takes no labels, but the program has some"))
    generator = torch.Generator().manual_seed(seed + 1)
    if labels.dtype.is_floating_point:
        return torch.randn(labels.shape, generator=generator).to(labels.dtype)
    classes = scores.shape[-1] if scores.dim() == 3 else scores.shape[1]  # noqa: PLR2004 - sequences
    return torch.randint(classes, tuple(labels.shape), generator=generator)


def _check_batch(program: Program, batch: Sequence[torch.Tensor]) -> None:
    for value, tensor in zip(program.inputs, batch, strict=True):
        if list(tensor.shape) != value.shape:
            words = f"{value.op} has the shape {tuple(tensor.shape)}, traced was {value.shape}"
            raise EngineError(Issue(words, "", "trace it again"))


@contextmanager
def deterministic() -> Iterator[None]:
    """Algorithms whose bits do not depend on the run; no gradients are recorded."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(mode=True)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.use_deterministic_algorithms(mode=before)


@dataclass(frozen=True, slots=True)
class _Plain:
    """The step in plain order: gradients, and a digest of every tensor when it was made."""

    gradients: Mapping[str, torch.Tensor]
    digests: Mapping[str, bytes]


def _plain(graph: TrainingGraph, program: Program, setting: Setting) -> _Plain:
    digests: dict[str, bytes] = {}
    torch.manual_seed(setting.seed)
    with Machine(graph, program, setting.weights, setting.batch) as machine:
        for place, op in enumerate(graph.ops):
            try:
                machine.do(Action(ActionKind.COMPUTE, place))
            except ActionError as error:
                raise _not_in_plain_order(op.name, error) from error
            digests |= {name: machine.digest(name) for name in op.outputs}
            for i in graph.op_inputs[place]:
                if graph.readers[i][-1] == place:
                    machine.do(Action(ActionKind.FREE, i))
            for i in graph.op_outputs[place]:
                if not graph.readers[i]:
                    machine.do(Action(ActionKind.FREE, i))
        return _Plain(machine.gradients, digests)


def _not_in_plain_order(op: str, error: ActionError) -> EngineError:
    words, hint = f"cannot be run in plain order either: {error}", "trace it again"
    if "does not have a deterministic implementation" in str(error):
        words = "PyTorch promises no bits for it here: it has no deterministic implementation"
        hint = "solve and export a plan as usual, or write the network without it"
    return EngineError(Issue(words, f"op {op}", hint))


@dataclass(slots=True)
class _Watched:
    """What was seen while a schedule ran: seconds by kind of action, the largest sum of live bytes.

    fault : what went wrong first, in words, at the action `fault_action`; empty = nothing.
    """

    seconds: dict[ActionKind, float] = field(default_factory=lambda: dict.fromkeys(ActionKind, 0.0))
    peak_bytes: int = 0
    fault: str = ""
    fault_action: int | None = None

    def blame(self, graph: TrainingGraph, action: Action, place: int, words: str) -> None:
        """Remember what an action did wrong, if it is the first."""
        if not self.fault:
            self.fault = f"action {place + 1}, {_words(graph, action)}: {words}"
            self.fault_action = place


def _watched(trace: Trace, machine: Machine, plain: _Plain, progress: Progress) -> _Watched:
    """Do the actions one by one, up to one that cannot be done."""
    graph, actions = trace.problem.costed.graph, trace.schedule.actions
    watched = _Watched()
    for place, action in enumerate(actions):
        began = time.perf_counter()
        try:
            machine.do(action)
        except ActionError as error:
            watched.blame(graph, action, place, str(error))
            break
        watched.seconds[action.kind] += time.perf_counter() - began
        watched.peak_bytes = max(watched.peak_bytes, machine.live_bytes)
        other = _other(graph, action, machine, plain)
        if other:
            words = f"the bytes of {other} are not those of plain order"
            watched.blame(graph, action, place, words)
        progress(place + 1, len(actions))
    return watched


def _scheduled(
    trace: Trace, program: Program, setting: Setting, plain: _Plain, progress: Progress
) -> ReplayReport:
    graph, actions = trace.problem.costed.graph, trace.schedule.actions
    torch.manual_seed(setting.seed)
    with Machine(graph, program, setting.weights, setting.batch) as machine:
        watched = _watched(trace, machine, plain, progress)
        gradients, loss = machine.gradients, machine.loss
    different = tuple(
        key
        for key, tensor in plain.gradients.items()
        if key not in gradients or not _same_bits(tensor, gradients[key])
    )
    kinds = [action.kind for action in actions]
    error, unsteady = (
        (None, False) if watched.fault else _against_eager(program, setting, gradients)
    )
    return ReplayReport(
        fault=watched.fault,
        gradients=len(plain.gradients),
        different=different,
        eager_error=error,
        peak_bytes=watched.peak_bytes,
        predicted_bytes=trace.peak_bytes - graph.fixed_bytes,
        times={
            kind: KindTimes(
                kinds.count(kind),
                watched.seconds[kind],
                math.fsum(_predicted_s(trace, a) for a in actions if a.kind is kind),
            )
            for kind in ActionKind
        },
        loss=None if loss is None or not math.isfinite(loss) else float(loss),
        torch=str(torch.__version__),
        fault_action=watched.fault_action,
        unsteady=unsteady,
    )


def _predicted_s(trace: Trace, action: Action) -> float:
    costed = trace.problem.costed
    match action.kind:
        case ActionKind.COMPUTE | ActionKind.RECOMPUTE:
            return float(costed.op_duration_s[action.target])
        case ActionKind.PAGE_IN:
            return float(costed.page_in_s[action.target])
        case ActionKind.PAGE_OUT:
            return float(costed.page_out_s[action.target])
        case _:
            return 0.0


def _words(graph: TrainingGraph, action: Action) -> str:
    listed = graph.ops if action.kind.runs_op else graph.tensors
    return f"{action.kind.value.replace('_', ' ')} {listed[action.target].name}"


def _other(graph: TrainingGraph, action: Action, machine: Machine, plain: _Plain) -> str:
    """The first tensor that the action made or read whose bytes are not those of plain order."""
    if action.kind.runs_op:
        names = graph.ops[action.target].outputs
    elif action.kind is ActionKind.PAGE_IN:
        names = (graph.tensors[action.target].name,)
    else:
        names = ()
    return next((name for name in names if machine.digest(name) != plain.digests[name]), "")


def _same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    flat = [tensor.contiguous().view(-1).view(torch.uint8) for tensor in (one, other)]
    return bool(torch.equal(*flat))


def _against_eager(
    program: Program, setting: Setting, gradients: Gradients
) -> tuple[float | None, bool]:
    """The largest difference to the network's own backward pass, and whether that differs itself.

    Asked only where the difference is more than rounding: whether a second run from the same seed
    gives other gradients than the first.
    """
    batch = [setting.batch[value.value] for value in program.inputs]

    def run_again() -> Gradients:
        loss = program.source.loss
        return eager_gradients(setting.network, batch, loss, setting.seed, setting.file)

    first = run_again()
    error = largest_error(first, gradients)
    if _near(error):
        return error, False
    second = run_again()
    return error, not (first.keys() == second.keys() and _near(largest_error(first, second)))


def _near(error: float | None) -> bool:
    return error is not None and error <= EAGER_TOLERANCE
