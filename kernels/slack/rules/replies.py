"""What the korotovsky server's kernels answer besides plain text and JSON objects."""

from __future__ import annotations

Blocks = list[dict[str, str]]
"""Whole MCP content blocks, for the tool that answers with an image."""
