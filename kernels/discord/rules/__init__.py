"""What several of Discord's kernels share, one idea per module."""
