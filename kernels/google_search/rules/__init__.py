"""What the kernels of Google's search share, one idea per module."""
