"""The revisions of MCP that clients speak."""

from __future__ import annotations

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS


def is_modern(version: str | None) -> bool:
    """Whether a request's protocol version is of the revisions without a handshake."""
    return version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS
