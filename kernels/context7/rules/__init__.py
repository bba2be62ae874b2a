"""What Context7's kernels share, one idea per module."""
