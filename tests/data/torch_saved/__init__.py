"""A recording of what PyTorch keeps, and the script that made it."""
