"""Small random problems whose exact optimum an exhaustive search finds within about a second.

They have what breaks models: workspace, fixed bytes, ops of two outputs or none, ops that must not
run twice, tensors that must not be paged or are in storage at the start, several readers, latency,
tight and loose budgets, binding runtime limits, either means switched off.
"""

from hypothesis import strategies as st

from solver.costs import price
from solver.device import Device, IoMode, Transfer
from solver.graph import Op, Phase, Tensor, TrainingGraph
from solver.problem import Budgets, Problem, Switches

_SIZES = st.sampled_from([k * 1024 for k in (1, 2, 3, 4, 5, 8)])
_FLOP = st.sampled_from([k * 1e5 for k in (1, 2, 4, 8)])


def _often(draw: st.DrawFn, tenths: int) -> bool:
    """True in about `tenths` of ten draws."""
    return draw(st.integers(0, 9)) < tenths


class _Writer:
    """A graph in the making."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.ops: list[Op] = []
        self.tensors: list[Tensor] = []

    @property
    def made(self) -> list[str]:
        return [tensor.name for tensor in self.tensors]

    def op(self, name: str, phase: Phase, inputs: list[str], outputs: int) -> None:
        draw, forward = self.draw, phase is Phase.FORWARD
        names = tuple(f"{name}:{j}" for j in range(outputs)) if outputs > 1 else (name,) * outputs
        stored = forward and not inputs and _often(draw, 5)
        for output in names:
            size, pageable = draw(_SIZES), not _often(draw, 2)
            self.tensors.append(
                Tensor(output, size, name, pageable=pageable, in_storage_at_start=stored)
            )
        workspace = 1024 if _often(draw, 3) else 0
        recomputable = forward and not _often(draw, 2)
        self.ops.append(
            Op(name, "test", phase, tuple(dict.fromkeys(inputs)), names, draw(_FLOP),
               workspace_bytes=workspace, recomputable=recomputable)
        )  # fmt: skip


@st.composite
def graphs(draw: st.DrawFn, *, most_forward: int = 4, most_backward: int = 3) -> TrainingGraph:
    """A forward part and a backward part that reads it back to front, with some long skips."""
    writer = _Writer(draw)
    for k in range(draw(st.integers(2, most_forward))):
        made = writer.made
        inputs = made[-1:] if not _often(draw, 1) else []
        if len(made) > 1 and _often(draw, 3):
            inputs = [*inputs, draw(st.sampled_from(made))]
        writer.op(f"f{k}", Phase.FORWARD, inputs, 2 if _often(draw, 2) else 1)
    forward = writer.made
    for k in range(draw(st.integers(1, most_backward))):
        made = writer.made
        back = k + draw(st.integers(0, 1))
        inputs = [made[-1], forward[max(0, len(forward) - 1 - back)]]
        if _often(draw, 2):
            inputs.append(draw(st.sampled_from(made)))
        writer.op(f"b{k}", Phase.BACKWARD, inputs, 0 if k and _often(draw, 2) else 1)
    fixed = draw(st.sampled_from([0, 0, 512]))
    return TrainingGraph("random", tuple(writer.ops), tuple(writer.tensors), fixed_bytes=fixed)


@st.composite
def devices(draw: st.DrawFn) -> Device:
    """1 MFLOP/s at 1 W; a kilobyte costs between a tenth and four times the cheapest op's run."""
    page_in = Transfer(
        draw(st.sampled_from([0.0, 0.01])), draw(st.sampled_from([1e5, 1e4, 2.5e3])), 1.0
    )
    page_out = Transfer(0.0, draw(st.sampled_from([1e5, 1e4])), 1.0)
    return Device("test", "test", 1e6, 1e6, 10**12, IoMode.BLOCKING, page_in, page_out)


@st.composite
def problems(
    draw: st.DrawFn, *, most_forward: int = 4, most_backward: int = 3, limited: bool | None = None
) -> Problem:
    """A random graph between its floor and its plain peak; `limited`: with a runtime limit."""
    graph = draw(graphs(most_forward=most_forward, most_backward=most_backward))
    costed = price(graph, draw(devices()))
    tightness = draw(st.sampled_from([0.0, 0.3, 0.7]))
    ram = costed.floor_bytes + int(tightness * (costed.plain_peak_bytes - costed.floor_bytes))
    if limited is None:
        limited = draw(st.booleans())
    ratio = draw(st.sampled_from([1.05, 1.2, 1.5, 2.0])) if limited else None
    runtime_s = None if ratio is None else ratio * costed.baseline_runtime_s
    switches = Switches(
        paging=not _often(draw, 2),
        recompute=not _often(draw, 2),
        io=draw(st.sampled_from([IoMode.BLOCKING, IoMode.IGNORED])),
    )
    return Problem(costed, Budgets(ram, runtime_s), switches)
