"""The background thread that owns the solve process."""
