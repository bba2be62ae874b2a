"""Kernels of the deepseek tools."""
