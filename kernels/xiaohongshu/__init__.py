"""Kernels of the Xiaohongshu (Rednote) tools, one module per tool."""
