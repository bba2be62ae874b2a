"""Kernels of the tavily tools, one module per tool."""
