"""The `send_email` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import compose, delivery
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Send a message."""
    raw = compose.raw(context, arguments)
    mailbox = acting(context)
    mailbox.needs("send")
    sent = delivery.send(mailbox, raw, arguments.get("threadId"))
    return f"Email sent successfully with ID: {sent['id']}"
