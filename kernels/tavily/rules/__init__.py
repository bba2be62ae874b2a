"""What Tavily's kernels share, one idea per module."""
