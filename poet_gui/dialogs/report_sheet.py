"""The import report on a sheet beside the work."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from poet_gui.dialogs.sheets import Sheet
from poet_gui.viewmodels.import_report import Section, sections_text
from poet_gui.widgets.parts import FactGrid, button, label


class SectionArea(QScrollArea):
    """Sections below each other, as many as there are."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sections: tuple[Section, ...] = ()
        self.setWidgetResizable(True)
        self.setAccessibleName(name)

    @property
    def text(self) -> str:
        """The sections as they are copied."""
        return sections_text(self._sections)

    def show_sections(self, sections: tuple[Section, ...]) -> None:
        """Show these in the place of those before."""
        self._sections = sections
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 10, 0)
        column.setSpacing(6)
        for section in sections:
            _add(column, section)
        column.addStretch(1)
        self.setWidget(inside)

    def copy(self) -> None:
        """Copy the sections as text."""
        QGuiApplication.clipboard().setText(self.text)


class ReportSheet(Sheet):
    """Sections of facts and sentences; it follows the model that is open."""

    def __init__(self, sections: tuple[Section, ...], parent: QWidget | None = None) -> None:
        super().__init__("Import report", "reportSheet", parent)
        self.area = SectionArea("import report")
        self.body.addWidget(self.area, 1)
        self.copy_button = button("Copy", name="reportCopy", tip="copy the whole report")
        self.copy_button.clicked.connect(self._on_copy)
        self.finish(self.copy_button)
        unit = self.fontMetrics().averageCharWidth()
        self.take_room(QSize(96 * unit, 34 * self.fontMetrics().height()))
        self.show_sections(sections)

    def show_sections(self, sections: tuple[Section, ...]) -> None:
        """Show this report in the place of the one before."""
        self.area.show_sections(sections)

    @property
    def text(self) -> str:
        """The whole report as it is copied."""
        return self.area.text

    @Slot()
    def _on_copy(self) -> None:
        self.area.copy()
        self.copy_button.setText("Copied")


def _add(column: QVBoxLayout, section: Section) -> None:
    title = label(section.title, weight="bold", tone="warning" if section.is_warning else "")
    title.setContentsMargins(0, 8, 0, 0)
    column.addWidget(title)
    if section.facts:
        grid = FactGrid(left=True)
        grid.set_facts(section.facts)
        column.addWidget(grid)
    for sentence in section.sentences:
        words = label(sentence[:1].upper() + sentence[1:])
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(words)
