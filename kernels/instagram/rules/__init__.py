"""Rules that several Instagram kernels share, one idea per module."""
