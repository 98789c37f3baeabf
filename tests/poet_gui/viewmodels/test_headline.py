"""The line above the timeline counts runs and transfers, as every table and the search do."""

import numpy as np

from poet_gui.viewmodels.headline import changes
from poet_gui.viewmodels.trace_index import Kind, index_trace
from solver.schedule import Action, ActionKind, Schedule
from tests.helpers.traces import story


def test_that_runs_and_transfers_are_counted_and_of_how_many_in_brackets() -> None:
    actions = tuple(
        Action(kind, target)
        for kind, target in (
            (ActionKind.COMPUTE, 0),
            (ActionKind.RECOMPUTE, 0),
            (ActionKind.RECOMPUTE, 0),
            (ActionKind.RECOMPUTE, 1),
            (ActionKind.PAGE_OUT, 4),
            (ActionKind.PAGE_IN, 4),
            (ActionKind.PAGE_IN, 4),
        )
    )
    assert changes(Schedule(actions)) == (
        "3 recomputes (2 ops)",
        "1 page-out, 2 page-ins (1 tensor)",
    )


def test_that_a_plain_schedule_has_neither() -> None:
    plain = Schedule((Action(ActionKind.COMPUTE, 0),))
    assert changes(plain) == ("0 recomputes", "0 page-outs, 0 page-ins")


def test_that_it_counts_what_the_search_finds() -> None:
    index = index_trace(story())
    runs = int(np.count_nonzero(index.kind == Kind.RECOMPUTE))
    assert changes(index.trace.schedule)[0].startswith(f"{runs} recompute")
