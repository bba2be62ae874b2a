"""The `modify_email` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.changes import modify
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Add and remove labels; `labelIds` is an older name of `addLabelIds`, which takes precedence."""
    add = arguments["addLabelIds"] if "addLabelIds" in arguments else arguments.get("labelIds", [])
    modify(acting(context), arguments["messageId"], add, arguments.get("removeLabelIds", []))
    return f"Email {arguments['messageId']} labels updated successfully"
