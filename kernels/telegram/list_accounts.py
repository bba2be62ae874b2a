"""The `list_accounts` tool."""

from __future__ import annotations

from dataclasses import replace

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, server_of
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the configured accounts, one line each.

    The server answers this itself, for all accounts at once.
    """
    server = server_of(context)
    return "\n".join(f"{label}: {_profile(server, label)}" for label in server.labels())


def _profile(server: Server, label: str) -> str:
    try:
        me = replace(server, label=label).client().me
    except Failed:
        return "(unable to fetch profile)"
    return f"{clean_name(peers.full_name(me) or 'Unknown')} (+{me.get('phone') or 'N/A'}) — {_status(me)}"


def _status(me: Object) -> str:
    """Return the library's name for when a user was last seen, such as online, recently or lastweek."""
    return str((me.get("status") or {}).get("type") or "unknown").replace("_", "").lower()
