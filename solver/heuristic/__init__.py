"""Fast feasible schedules: plans of what is held between stages, repaired and improved."""
