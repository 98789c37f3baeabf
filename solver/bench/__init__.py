"""The benchmark: which problems, how they are measured, and the tables made of it."""
