"""Tests of solver.milp."""
