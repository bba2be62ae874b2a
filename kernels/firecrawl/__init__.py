"""Kernels of the firecrawl tools, one module per tool."""
