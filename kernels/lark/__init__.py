"""Kernels of the Lark tools, one module per tool."""
