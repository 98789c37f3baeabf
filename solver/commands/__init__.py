"""The commands of `poet`, one module each, and what they share."""
