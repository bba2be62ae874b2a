"""Kernels of the context7 tools, one module per tool."""
