"""The runner that is copied beside an exported plan."""
