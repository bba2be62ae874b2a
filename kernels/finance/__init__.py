"""Kernels of the finance tools, one module per tool."""
