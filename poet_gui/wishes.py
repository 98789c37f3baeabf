"""What the views wish: each is done by the state, the controller or the opener."""

from PySide6.QtCore import QObject, Slot

from poet_gui.layout import Views
from poet_gui.opening import Opener
from poet_gui.solving.controller import SolveController
from poet_gui.state import ExplorerState
from poet_gui.widgets.header_bar import OPEN_DEVICE, OPEN_MODEL
from solver.graph_request import GraphRequest
from solver.problem import SolveOptions, Switches


class Wishes(QObject):
    """Turns what the views wish into changes of the state; data flows back through the renderer."""

    def __init__(
        self,
        state: ExplorerState,
        views: Views,
        controller: SolveController,
        opener: Opener,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core, self._views = state.core, views
        self._controller, self._opener = controller, opener
        self._connect_header()
        self._connect_panels()
        self._connect_selection()

    def _connect_header(self) -> None:
        views, controller, opener = self._views, self._controller, self._opener
        views.header.open_requested.connect(opener.ask)
        views.header.demo_requested.connect(opener.open_demo)
        views.header.solve_requested.connect(controller.solve_now)
        views.header.stop_requested.connect(controller.stop)
        views.header.cancel_open_requested.connect(controller.cancel_open)
        views.header.model_chosen.connect(self._on_model_chosen)
        views.header.device_chosen.connect(self._on_device_chosen)
        views.empty.open_requested.connect(opener.ask)
        views.empty.demo_requested.connect(opener.open_demo)
        views.empty.builtin_requested.connect(self._on_builtin_example)

    def _connect_panels(self) -> None:
        views, controller = self._views, self._controller
        views.budgets.ram_chosen.connect(self.set_ram)
        views.budgets.runtime_chosen.connect(self.set_runtime)
        views.budgets.switches_chosen.connect(self.set_switches)
        views.model.request_changed.connect(self._on_request)
        views.history.row_chosen.connect(self._on_row)
        views.solver.stop_requested.connect(controller.stop)
        views.solver.options_chosen.connect(self.set_options)
        views.schedule.axis_changed.connect(self._core.looking.set_axis)
        views.schedule.budget_dragged.connect(self.set_ram)

    def _connect_selection(self) -> None:
        """One tensor and one action are selected everywhere, whoever chose them."""
        views = self._views
        views.header.search.hit_chosen.connect(self._on_hit)
        for view in (
            views.schedule, views.resident, views.actions, views.tensors, views.blocks,
            views.compare,
        ):  # fmt: skip
            view.tensor_selected.connect(self.select_tensor)
        views.schedule.playhead_moved.connect(self.move_playhead)
        views.resident.peak_requested.connect(views.schedule.moves.jump_to_peak)
        for table in (views.actions, views.tensors, views.blocks):
            table.action_selected.connect(self.move_playhead)

    @Slot(object)
    def set_ram(self, ram_bytes: int) -> None:
        """Choose a RAM budget in bytes; solving starts when it rests."""
        self._core.set_ram(ram_bytes)
        self._controller.solve_later()

    @Slot(object)
    def set_runtime(self, runtime_s: float | None) -> None:
        """Choose a runtime limit in seconds, None for none."""
        self._core.set_runtime(runtime_s)
        self._controller.solve_later()

    @Slot(object)
    def set_switches(self, switches: Switches) -> None:
        """Choose what a schedule may do."""
        self._core.set_switches(switches)
        self._controller.solve_later()

    @Slot(object)
    def set_options(self, options: SolveOptions) -> None:
        """Choose how hard to try; the next solve uses it."""
        self._core.set_options(options)
        self._views.solver.render_core(self._core)

    @Slot(str)
    def _on_model_chosen(self, name: str) -> None:
        if name == OPEN_MODEL:
            self._opener.ask()
        else:
            self._opener.open_builtin(name)

    @Slot(str)
    def _on_device_chosen(self, name: str) -> None:
        if name == OPEN_DEVICE:
            self._views.header.show_device(self._core.device)
            self._opener.ask_device()
        else:
            self._opener.open_device(name)

    @Slot(object)
    def _on_request(self, request: GraphRequest) -> None:
        self._opener.open_request(request)

    @Slot(int)
    def _on_row(self, from_newest: int) -> None:
        history = self._core.history
        if 0 <= from_newest < len(history):
            self._controller.drop()
            self._core.restore(history[-1 - from_newest])

    @Slot()
    def _on_builtin_example(self) -> None:
        self._opener.open_builtin("resnet18_cifar")

    @Slot(int)
    def go_to(self, action: int) -> None:
        """Go to the first action of a run that was not as promised."""
        self.move_playhead(action)
        self._views.schedule.reveal_action(action)

    @Slot(object)
    def select_tensor(self, tensor: int | None) -> None:
        """Select a tensor everywhere, or none."""
        self._core.looking.set_tensor(tensor)

    @Slot(int)
    def move_playhead(self, action: int) -> None:
        """Move the playhead everywhere."""
        self._core.looking.set_playhead(action)

    @Slot(object, int)
    def _on_hit(self, tensor: int | None, action: int) -> None:
        """Go to what was found: the tensor selected, its lane and the action in sight."""
        self.move_playhead(action)
        self.select_tensor(tensor)
        self._views.schedule.reveal_action(action)
