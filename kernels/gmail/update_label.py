"""The `update_label` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import ApiError
from soundstage.kernels.gmail.rules.labeling import refused, shown
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Rename a label or change its visibility; empty arguments count as missing."""
    mailbox = acting(context)
    changes = {n: arguments[n] for n in ("name", "messageListVisibility", "labelListVisibility") if arguments.get(n)}
    try:
        mailbox.needs("labels")
        label = labels.get(mailbox, arguments["id"])
        mailbox.needs("edit_labels")
        labels.check_update(mailbox, label, changes.get("name"))
    except ApiError as error:
        raise refused(error, arguments["id"], "update") from None
    context.update("label", label["id"], changes)
    return f"Label updated successfully:\n{shown(label['id'], changes.get('name', label['name']), label['type'])}"
