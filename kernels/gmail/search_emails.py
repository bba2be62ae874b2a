"""The `search_emails` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines import javascript
from soundstage.kernels.gmail.rules import search
from soundstage.kernels.gmail.rules.errors import ApiError
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.gmail.rules.messages import header
from soundstage.kernels.types import Arguments

_DEFAULT = 10
_MOST = 500
_MOST_UINT32 = 2**32


def run(context: AppContext, arguments: Arguments) -> str:
    """Search messages, at most 500; headers are shown as sent, and only with the exact capitalization."""
    mailbox = acting(context)
    mailbox.needs("list")
    wanted = arguments.get("maxResults") or _DEFAULT
    if not 0 <= wanted < _MOST_UINT32 or wanted != int(wanted):
        shown = javascript.number_text(wanted)
        raise ApiError(400, "invalid", f"Invalid value at 'max_results' (TYPE_UINT32), \"{shown}\"")
    if arguments["query"] and not mailbox.may_search:
        raise ApiError(403, "permission", "Metadata scope does not support 'q' parameter")
    blocks = []
    for message in search.search_messages(mailbox, arguments["query"], context.now())[: min(int(wanted), _MOST)]:
        subject, sender, date = (header(message, name, any_case=False) for name in ("Subject", "From", "Date"))
        blocks.append(f"ID: {message['id']}\nSubject: {subject}\nFrom: {sender}\nDate: {date}\n")
    return "\n".join(blocks)
