"""The types of a kernel's input and output."""

from __future__ import annotations

from typing import Any

Arguments = dict[str, Any]
"""A call's arguments, validated against the tool's schema if the real server does that."""

Reply = Any
"""A kernel's result before the dialect wraps it for MCP; the signature of each kernel states its type."""
