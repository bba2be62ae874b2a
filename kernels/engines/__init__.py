"""Engines shared by the kernels of several apps."""
