"""Built-in networks: one module per family."""
