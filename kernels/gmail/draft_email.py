"""The `draft_email` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import compose, delivery
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a draft; recipients are validated as for sending, but may be missing."""
    raw = compose.raw(context, arguments)
    mailbox = acting(context)
    mailbox.needs("draft")
    draft = delivery.draft(mailbox, raw, arguments.get("threadId"))
    return f"Email draft created successfully with ID: {draft['id']}"
