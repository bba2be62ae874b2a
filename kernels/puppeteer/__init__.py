"""Kernels of the puppeteer tools."""
