"""Rules that several Reddit kernels share."""
