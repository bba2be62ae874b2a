"""What several of Instagram's kernels share, one idea per module."""
