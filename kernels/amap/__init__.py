"""Kernels of the amap tools, one module per tool."""
