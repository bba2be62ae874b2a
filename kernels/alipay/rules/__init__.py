"""What Alipay's kernels share, one idea per module."""
