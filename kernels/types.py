"""What goes into a kernel and what comes out."""

from __future__ import annotations

from typing import Any

Arguments = dict[str, Any]
"""A call's arguments, already checked against the tool's schema where the real server checks them."""

Reply = Any
"""A kernel's answer before the dialect puts it into MCP's envelope; each kernel's signature says its shape."""
