"""Tests of solver.heuristic."""
