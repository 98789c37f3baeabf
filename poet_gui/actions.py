"""Every action of the window in one list: menus, shortcuts and the sheet of keys come from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu


@dataclass(frozen=True, slots=True)
class Spec:
    """An action: `name` is also the object name, `keys` the first of which is shown in menus."""

    name: str
    menu: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    group: str = ""
    separated: bool = False


MENUS: Final = ("&File", "&View", "&Solve", "&Compare", "&Help")

SPECS: Final = (
    Spec("open", "&File", "&Open…", "open a model or a saved result", ("Ctrl+O",)),
    Spec("demo", "&File", "&Demo", "show a solved example", ("F5",)),
    Spec("reload", "&File", "&Reload", "read the open file again", ("Ctrl+R",)),
    Spec("open_straight", "&File", "Open quantised file in &floats",
         "simulate the quantised operators of the file that was refused"),
    Spec("edit_device", "&File", "Edit de&vice…", "change the numbers of the device, or copy it",
         ("Ctrl+Shift+D",)),
    Spec("use_costs", "&File", "Price with &measured costs…",
         "open a table of seconds and joules of ops"),
    Spec("drop_costs", "&File", "Price &without measured costs",
         "let costs follow from FLOP again, whatever the device's own file says"),
    Spec("export_json", "&File", "Save res&ult (JSON)…", "write the schedule as poet.result",
         ("Ctrl+S",), separated=True),
    Spec("export_png", "&File", "Export &picture (PNG)…", "write the timeline as a picture",
         ("Ctrl+E",)),
    Spec("export_svg", "&File", "Export picture (&SVG)…", "write the timeline as a drawing"),
    Spec("export_csv", "&File", "Export &table (CSV)…", "write one row per action",
         ("Ctrl+Shift+E",)),
    Spec("export_trace", "&File", "Export &Chrome trace…", "write a trace for Perfetto",
         ("Ctrl+Shift+T",)),
    Spec("export_plan", "&File", "Export training pla&n…",
         "write what trains a traced PyTorch model in this order, with its runner"),
    Spec("quit", "&File", "&Quit", "close the window", ("Ctrl+Q",), separated=True),
    Spec("theme_system", "&View", "Theme of the &system", "follow the system's colours",
         group="theme"),
    Spec("theme_light", "&View", "&Light theme", "dark text on light", group="theme"),
    Spec("theme_dark", "&View", "&Dark theme", "light text on dark", group="theme"),
    Spec("toggle_theme", "&View", "Light or dar&k", "switch between light and dark",
         ("Ctrl+Shift+L",)),
    Spec("text_larger", "&View", "L&arger text", "enlarge everything", ("Ctrl++", "Ctrl+="),
         separated=True),
    Spec("text_smaller", "&View", "S&maller text", "shrink everything", ("Ctrl+-",)),
    Spec("text_reset", "&View", "&Normal text", "text of the system's size", ("Ctrl+0",)),
    Spec("toggle_axis", "&View", "Step or t&ime", "switch the horizontal axis", separated=True),
    Spec("toggle_blocks", "&View", "Tensors or blo&cks",
         "one lane for each block of layers, or for each tensor"),
    Spec("zoom_in", "&View", "&Zoom in", "show less of the schedule, larger"),
    Spec("zoom_out", "&View", "Zoom &out", "show more of the schedule"),
    Spec("fit", "&View", "&Fit", "show the selected range, or everything"),
    Spec("back", "&View", "&Back", "show the range before"),
    Spec("peak", "&View", "Jump to &peak", "put the playhead where RAM is highest"),
    Spec("find", "&View", "Find a &tensor", "find tensors and actions by name, kind or size",
         ("Ctrl+F",)),
    Spec("focus_memory", "&View", "Go to m&emory", "type a memory budget", ("Ctrl+M",)),
    Spec("focus_runtime", "&View", "Go to r&untime", "type a runtime limit", ("Ctrl+T",)),
    Spec("show_frontier", "&View", "S&how the frontier", "energy against RAM and runtime",
         ("Ctrl+Shift+F",)),
    Spec("enlarge_frontier", "&View", "Enlar&ge the frontier", "give it more room, and back",
         ("F8",)),
    Spec("next_pane", "&View", "Ne&xt pane", "move the focus to the next pane", ("F6",)),
    Spec("previous_pane", "&View", "Pre&vious pane", "move the focus to the pane before",
         ("Shift+F6",)),
    Spec("reset_layout", "&View", "&Reset layout", "put every pane back in its place"),
    Spec("solve", "&Solve", "&Solve", "find the least-energy schedule",
         ("Ctrl+Return", "Ctrl+Enter")),
    Spec("stop", "&Solve", "S&top, keep best", "stop and keep the best schedule",
         ("Ctrl+.",)),
    Spec("extend", "&Solve", "&Extend", "solve again with twice the time",
         ("Ctrl+Shift+Return",)),
    Spec("sweep", "&Solve", "S&weep, or cancel it", "solve budgets along the frontier",
         ("F9",)),
    Spec("solve_blocks", "&Solve", "Solve in &blocks",
         "decide for whole blocks at once: less to search where there are thousands of ops"),
    Spec("run_schedule", "&Solve", "R&un this schedule…",
         "run a traced PyTorch model on real tensors and compare", ("F7",)),
    Spec("toggle_paging", "&Solve", "&Paging", "allow or forbid paging", ("Ctrl+P",),
         separated=True),
    Spec("toggle_recompute", "&Solve", "&Recompute", "allow or forbid recomputing",
         ("Ctrl+Shift+R",)),
    Spec("keep_as_a", "&Compare", "&Keep as A", "keep the schedule on screen to compare with",
         ("Ctrl+B",)),
    Spec("swap_sides", "&Compare", "&Swap A and B", "let A be B and B be A",
         ("Ctrl+Shift+B",)),
    Spec("show_compare", "&Compare", "All &differences", "show the whole comparison",
         ("Ctrl+D",)),
    Spec("end_compare", "&Compare", "&End", "compare no longer"),
    Spec("keys", "&Help", "All &keys", "every shortcut on one sheet", ("?", "F1")),
    Spec("report", "&Help", "&Import report", "what was assumed about the open model",
         ("Ctrl+I",)),
    Spec("about", "&Help", "&About POET Explorer", "version and licence"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Menus:
    """The menus by title and the actions by name."""

    menus: Mapping[str, QMenu]
    actions: Mapping[str, QAction]


def build_actions(window: QMainWindow, slots: Mapping[str, Callable[[], None]]) -> Menus:
    """Make the menus of `window` and their actions.

    Raises KeyError when an action has no slot: a menu entry that does nothing must not exist.
    """
    menus: dict[str, QMenu] = {title: QMenu(title, window) for title in MENUS}
    groups: dict[str, QActionGroup] = {}
    actions: dict[str, QAction] = {}
    for menu in menus.values():
        window.menuBar().addMenu(menu)
    for spec in SPECS:
        menu = menus[spec.menu]
        if spec.separated:
            menu.addSeparator()
        action = QAction(spec.text, window)
        action.setObjectName(spec.name)
        action.setToolTip(spec.tip)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        if spec.group:
            action.setCheckable(True)
            groups.setdefault(spec.group, QActionGroup(window)).addAction(action)
        action.triggered.connect(slots[spec.name])
        menu.addAction(action)
        actions[spec.name] = action
    return Menus(menus, actions)
