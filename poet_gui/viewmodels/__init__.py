"""Qt-free: engine values to arrays, rows and sentences."""
