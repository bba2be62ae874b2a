"""Kernels of the email_163 tools, one module per tool."""
