"""Kernels of the gmail tools, one module per tool."""
