"""The named blocks of the model as a table: what each holds, and what the schedule does with it."""

from PySide6.QtWidgets import QWidget

from poet_gui.viewmodels.block_table import blocks_table
from poet_gui.widgets.linked_table import LinkedTable
from solver.simulate import Trace


class BlocksTable(LinkedTable):
    """One row per block; energies add up to the total."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("blocksTable", parent)
        self.setAccessibleName("Blocks of the model")

    def set_trace(self, trace: Trace | None) -> None:
        """Sum `trace` up by blocks."""
        self.show_table(blocks_table(trace) if trace is not None else None)
