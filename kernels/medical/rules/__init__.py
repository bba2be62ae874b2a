"""What several of the medical kernels share, one idea per module."""
