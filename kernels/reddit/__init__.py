"""Kernels of the Reddit tools, one module per tool."""
