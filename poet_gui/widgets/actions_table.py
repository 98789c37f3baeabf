"""All actions of the schedule as a table: the timeline's twin for eyes, keys and copying."""

from PySide6.QtWidgets import QWidget

from poet_gui.viewmodels.tables import actions_table
from poet_gui.widgets.linked_table import LinkedTable
from solver.simulate import Trace


class ActionsTable(LinkedTable):
    """One row per action, frees included; the row of the playhead is selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("actionsTable", parent)
        self.setAccessibleName("Actions of the schedule")

    def set_trace(self, trace: Trace | None) -> None:
        """Show the actions of `trace`."""
        self.show_table(actions_table(trace) if trace is not None else None)

    def set_playhead(self, action: int) -> None:
        """Select the row of this action."""
        self.select_row(self.rows.row_of_action(action))
