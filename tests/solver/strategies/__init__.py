"""Tests of solver.strategies."""
