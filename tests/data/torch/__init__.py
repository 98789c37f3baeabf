"""PyTorch modules for tracing, and files that PyTorch wrote."""
