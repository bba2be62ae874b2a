"""Kernels of the mcpollinations tools, one module per tool."""
