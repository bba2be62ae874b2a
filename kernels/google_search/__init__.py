"""Kernels of the google_search tools, one module per tool."""
