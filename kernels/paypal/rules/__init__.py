"""Rules that several PayPal kernels share, one idea per module."""
