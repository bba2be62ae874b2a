"""Replies of the korotovsky server's kernels other than plain text and JSON objects."""

from __future__ import annotations

Blocks = list[dict[str, str]]
"""Complete MCP content blocks, for the tool that returns an image."""
