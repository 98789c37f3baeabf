"""What each operator costs, keeps and differentiates to: one table per family."""
