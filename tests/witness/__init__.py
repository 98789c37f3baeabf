"""A second witness: PyTorch's own forward and backward graph of the same networks, beside ours."""
