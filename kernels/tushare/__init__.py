"""Kernels of the tushare tools, one module per tool."""
