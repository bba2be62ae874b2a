"""Kernels of the medical tools, one module per tool."""
