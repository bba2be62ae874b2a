"""Kernels of the baidu_maps tools, one module per tool."""
