"""Files to networks and training graphs: one module per format."""
