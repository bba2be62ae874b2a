"""Kernels of the wecom tools, one module per tool."""
