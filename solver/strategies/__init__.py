"""Ways to schedule: one module each."""
