"""The theme at work: Fusion style, our palette and style sheet, following the system if asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from poet_gui.theme import DARK, LIGHT, Theme, ThemeChoice, stylesheet

_ROLES: Final = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "panel",
    QPalette.ColorRole.AlternateBase: "lane_odd",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "text_muted",
    QPalette.ColorRole.Button: "panel",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "danger",
    QPalette.ColorRole.ToolTipBase: "panel",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "accent_text",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.Light: "panel",
    QPalette.ColorRole.Midlight: "panel_sunken",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "border",
    QPalette.ColorRole.Shadow: "border",
}


def palette_of(theme: Theme) -> QPalette:
    """The palette whose roles have the theme's colours; disabled text is muted."""
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, name)))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.text_muted))
    return palette


class Appearance(QObject):
    """Theme and text size of the application.

    Signals
    -------
    theme_changed(object)
        The Theme now in use.
    """

    theme_changed = Signal(object)

    def __init__(self, app: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._choice = ThemeChoice.SYSTEM
        self._font = QFont(app.font())
        self._percent = 100
        self.theme = LIGHT
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    @property
    def choice(self) -> ThemeChoice:
        """What the user asked for."""
        return self._choice

    @property
    def text_percent(self) -> int:
        """Size of all text, percent of the system's."""
        return self._percent

    def apply(self, choice: ThemeChoice, text_percent: int) -> None:
        """Use a theme and a text size from now on."""
        self._choice = choice
        if text_percent != self._percent:
            self._percent = text_percent
            font = QFont(self._font)
            font.setPointSizeF(self._font.pointSizeF() * text_percent / 100)
            self._app.setFont(font)
        self._paint()

    @contextmanager
    def painted_last(self) -> Iterator[None]:
        """Set the style sheet when the widgets made inside have their places, not before.

        With it, Qt goes through all that is in a widget whenever that one gets another parent
        (`QWidgetPrivate::inheritStyle`): more than half of the time of making the window.
        """
        sheet = self._app.styleSheet()
        self._app.setStyleSheet("")
        try:
            yield
        finally:
            self._app.setStyleSheet(sheet)

    @Slot()
    def _on_system_changed(self) -> None:
        if self._choice is ThemeChoice.SYSTEM:
            self._paint()

    def _paint(self) -> None:
        self.theme = self._wanted()
        sheet = stylesheet(self.theme, self._app.font().pointSizeF())
        if sheet != self._app.styleSheet():  # setting it again would polish every widget again
            self._app.setPalette(palette_of(self.theme))
            self._app.setStyleSheet(sheet)
        self.theme_changed.emit(self.theme)

    def _wanted(self) -> Theme:
        if self._choice is ThemeChoice.SYSTEM:
            dark = self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if self._choice is ThemeChoice.DARK else LIGHT
