"""Kernels of the Telegram tools, one module per tool."""
