"""Shape rules by operator: one file per family, one table."""
