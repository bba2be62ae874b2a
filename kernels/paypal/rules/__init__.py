"""What several of PayPal's kernels share, one idea per module."""
