"""Icons in the colours of the theme."""

from PySide6.QtGui import QIcon


def themed_icon(name: str, colour: str, disabled: str) -> QIcon:
    """An icon of the bundled font, for instance "mdi6.play"."""
    import qtawesome  # noqa: PLC0415 - loads fonts, which needs a running QApplication

    icon: QIcon = qtawesome.icon(name, color=colour, color_disabled=disabled)
    return icon
