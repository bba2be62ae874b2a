"""The `limit` of the korotovsky server's channel tools."""

from __future__ import annotations

from soundstage.kernels.slack.rules.errors import ProtocolRefusal
from soundstage.kernels.slack.rules.values import go_integer
from soundstage.kernels.types import Arguments


def channel_limit(arguments: Arguments) -> int:
    """Return the number of conversations to show: by default 100, at most 999; negative values crash the handler."""
    return min(go_integer(arguments, "limit", 0) or 100, 999)


def check_slice(tool: str, start: int, end: int) -> None:
    """Reject a slice as the Go runtime does; the server reports its own crash.

    Raises:
        ProtocolRefusal: internal.
    """
    if end < start:
        bounds = f"[:{end}]" if end < 0 else f"[{start}:{end}]"
        message = f"panic recovered in {tool} tool handler: runtime error: slice bounds out of range {bounds}"
        raise ProtocolRefusal(-32603, message, "internal")
