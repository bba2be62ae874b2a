"""Kernels of the filesystem tools, one module per tool."""
