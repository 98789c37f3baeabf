"""Figures, printed."""
