"""Tests of solver.operators."""
