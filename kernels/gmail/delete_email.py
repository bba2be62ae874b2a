"""The `delete_email` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.changes import delete
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Delete a message permanently."""
    delete(acting(context), arguments["messageId"])
    return f"Email {arguments['messageId']} deleted successfully"
