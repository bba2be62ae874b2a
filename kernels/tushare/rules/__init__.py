"""What Tushare's kernels share, one idea per module."""
