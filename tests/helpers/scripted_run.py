"""A process that runs a schedule by a script, for tests of the window: same protocol, no PyTorch.

Usage: python scripted_run.py SCENARIO.

| scenario | the request is answered by |
|---|---|
| honest | two steps, then a report in which everything is as promised |
| differing | a report whose third action differs, with one gradient and a peak of other size |
| refusing | the sentence that the module has changed |
| endless | one step, and then nothing |
| dying | a line on stderr and the end of the process |
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from solver.errors import Issue
from solver.framing import framed
from solver.replay_report import KindTimes, ReplayReport
from solver.run_messages import RunDone, RunEvent, RunRefused, RunStep, run_request_reader
from solver.schedule import ActionKind
from solver.simulate import Trace

FAULT_ACTION = 2


def report_of(trace: Trace, *, differs: bool) -> ReplayReport:
    """Eight gradients; computing took 1.5 s and was predicted to take 1 s."""
    return ReplayReport(
        fault="action 3, compute relu: the bytes of relu are not those of plain order"
        if differs
        else "",
        gradients=8,
        different=("head.bias",) if differs else (),
        eager_error=None if differs else 2.5e-7,
        peak_bytes=trace.peak_bytes + 4 * differs,
        predicted_bytes=trace.peak_bytes,
        times={kind: KindTimes(0, 0.0, 0.0) for kind in ActionKind}
        | {ActionKind.COMPUTE: KindTimes(28, 1.5, 1.0)},
        loss=2.25,
        torch="2.13.0",
        fault_action=FAULT_ACTION if differs else None,
    )


def send(event: RunEvent) -> None:
    os.write(EVENTS, framed(event))


def main() -> None:
    request = run_request_reader(sys.stdin.buffer).read()
    assert request is not None
    trace, scenario = request.trace(), sys.argv[1]
    total = len(trace.schedule.actions)
    if scenario == "dying":
        sys.stderr.write("Segmentation fault\n")
        sys.exit(3)
    if scenario == "refusing":
        send(RunRefused([Issue("has changed since it was traced", "net.py", "trace it again")]))
        return
    send(RunStep(1, total))
    if scenario == "endless":
        time.sleep(3600)
    send(RunStep(total, total))
    send(RunDone(report_of(trace, differs=scenario == "differing")))


EVENTS = os.dup(1)
if __name__ == "__main__":
    main()
