"""The `read_email` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.gmail.rules.messages import attachments, contents, header
from soundstage.kernels.types import Arguments

_ONLY_HTML = "[Note: This email is HTML-formatted. Plain text version not available.]\n\n"


def run(context: AppContext, arguments: Arguments) -> str:
    """Show a message without marking it as read."""
    mailbox = acting(context)
    mailbox.needs("get")
    message = mailbox.message(arguments["messageId"])
    plain, html = contents(message)
    lines = [f"Thread ID: {message.get('threadId', '')}"]
    lines += [f"{name}: {header(message, name)}" for name in ("Subject", "From", "To", "Date")]
    body = plain or (_ONLY_HTML + html if html else "")
    return "\n".join((*lines, "", body)) + _files(message)


def _files(message: dict[str, object]) -> str:
    result = attachments(message)
    if not result:
        return ""
    # Math.round: halves round up.
    shown = [f"- {f.filename} ({f.mime_type}, {(f.size + 512) // 1024} KB, ID: {f.id})" for f in result]
    return "\n".join((f"\n\nAttachments ({len(result)}):", *shown))
