"""The `list_email_labels` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import ApiError, wrapped
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List all labels, system labels first."""
    mailbox = acting(context)
    try:
        mailbox.needs("labels")
    except ApiError as error:
        raise wrapped(error, "Failed to list labels") from None
    result = labels.listed(mailbox)
    system, user = ([label for label in result if label["type"] == kind] for kind in ("system", "user"))
    head = f"Found {len(result)} labels ({len(system)} system, {len(user)} user):\n\nSystem Labels:\n"
    return f"{head}{_blocks(system)}\nUser Labels:\n{_blocks(user)}"


def _blocks(shown: list[labels.Shown]) -> str:
    return "\n".join(f"ID: {label['id']}\nName: {label['name']}\n" for label in shown)
