"""Kernels of the monitor tools, one module per tool."""
