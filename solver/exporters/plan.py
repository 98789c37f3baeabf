"""A schedule of a traced network as a poet.plan: everything that a training step needs to run.

The plan is executed by resources/plan/run_plan.py, which needs nothing but PyTorch and is written
beside it.
"""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

import msgspec

from solver import ENGINE_VERSION
from solver.codec.numbers import finite
from solver.codec.plan import PlanAction, PlanDocument, Promise
from solver.program_check import program_of
from solver.simulate import Trace

RUNNER: Final = "run_plan.py"
"""The name of the runner, which is written beside a plan."""


def plan_document(trace: Trace) -> PlanDocument:
    """The plan of a schedule. Raises EngineError when its graph was not traced."""
    costed = trace.problem.costed
    graph = costed.graph
    program = program_of(graph)
    return PlanDocument(
        format="poet.plan",
        version=1,
        name=graph.name,
        made_by=f"POET Explorer {ENGINE_VERSION}",
        device=costed.device.id,
        promised=Promise(
            int(trace.peak_bytes - graph.fixed_bytes),
            finite(trace.total_energy_j),
            finite(trace.runtime_s),
        ),
        program=program,
        actions=[
            PlanAction(action.kind, listed[action.target].name)
            for action in trace.schedule.actions
            for listed in (graph.ops if action.kind.runs_op else graph.tensors,)
        ],
    )


class _Plan:
    name = "plan"
    summary = "Training plan of a traced network, with its runner (JSON)"
    suffix = ".plan.json"

    def export(self, trace: Trace) -> bytes:
        return msgspec.json.encode(plan_document(trace)) + b"\n"

    def companions(self) -> Mapping[str, bytes]:
        runner = files("resources.plan").joinpath(RUNNER).read_bytes()
        return MappingProxyType({RUNNER: runner})


PLAN = _Plan()
