"""Kernels of the deep_research tools, one module per tool."""
