"""Kernels of the simulated apps: one module per tool, which changes the context of a session."""
