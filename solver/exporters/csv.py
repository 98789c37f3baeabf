"""A schedule as CSV: a header, then one row per action in issue order."""

import csv
import io

from solver.action_rows import ActionRow, action_rows
from solver.simulate import Trace


def csv_text(trace: Trace) -> str:
    """The actions of `trace`; seconds, joules and bytes without prefix.

    Numbers are written in full, so the energy column adds up to the energy of the schedule.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ActionRow._fields)
    writer.writerows((row.position, row.kind.value, *row[2:]) for row in action_rows(trace))
    return text.getvalue()


class _Csv:
    name = "csv"
    summary = "Table of actions (CSV)"
    suffix = ".csv"

    def export(self, trace: Trace) -> bytes:
        return csv_text(trace).encode()


CSV = _Csv()
