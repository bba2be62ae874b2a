"""Rules that several Discord kernels share, one idea per module."""
