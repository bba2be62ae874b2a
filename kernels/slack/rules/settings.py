"""Environment variables of the servers that limit their tools."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext


def setting(context: AppContext, name: str) -> str:
    """Return an environment variable, "" if it is not set."""
    row = context.get("setting", name)
    return str(row.get("value") or "") if row else ""


def channel_allowed(policy: str, channel: str) -> bool:
    """Return whether a policy of the korotovsky server allows a tool to use a channel.

    A policy is empty or `true` (every channel), `C1,C2` (only these), or `!C1,!C2` (all except these).
    """
    if policy in ("", "true", "1"):
        return True
    items = [item.strip() for item in policy.split(",")]
    if items[0].startswith("!"):
        return channel not in [item.removeprefix("!") for item in items]
    return channel in items
