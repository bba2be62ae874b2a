"""Kernels of the alipay tools, one module per tool."""
