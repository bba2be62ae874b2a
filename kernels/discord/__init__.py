"""Kernels of the Discord tools, one module per tool."""
