"""Data found through importlib.resources: devices, schemas, icons, demo results."""
