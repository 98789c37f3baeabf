"""Everything that uses PyTorch, an optional extra: tracing, replaying, timing."""
