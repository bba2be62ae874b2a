"""Kernels of the PayPal tools, one module per tool."""
