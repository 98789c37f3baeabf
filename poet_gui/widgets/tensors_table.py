"""All tensors of the schedule as a table: what is done with each, and what that costs."""

from PySide6.QtWidgets import QWidget

from poet_gui.viewmodels.tables import tensors_table
from poet_gui.widgets.linked_table import LinkedTable
from solver.simulate import Trace


class TensorsTable(LinkedTable):
    """One row per tensor, and one for the ops that make none; energies add up to the total."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("tensorsTable", parent)
        self.setAccessibleName("Tensors of the schedule")

    def set_trace(self, trace: Trace | None) -> None:
        """Show the tensors of `trace`."""
        self.show_table(tensors_table(trace) if trace is not None else None)

    def set_selected(self, tensor: int | None) -> None:
        """Select the row of this tensor."""
        self.select_row(self.rows.row_of_tensor(tensor) if tensor is not None else None)
