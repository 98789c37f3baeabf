"""The specification, executable."""
