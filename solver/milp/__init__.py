"""The mixed-integer model of the staged problem: the only importer of cvxpy and highspy."""
