"""Kernels of the playwright tools."""
