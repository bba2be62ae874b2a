"""What several of WeCom's kernels share, one idea per module."""
