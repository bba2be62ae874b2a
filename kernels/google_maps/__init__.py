"""Kernels of the google_maps tools, one module per tool."""
