"""Solving in the background: the solve process, what arrives from it, and what is already known."""
