"""The `delete_label` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import ApiError, Refusal
from soundstage.kernels.gmail.rules.labeling import refused
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.gmail.rules.messages import labels as labels_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Delete a label of the user and remove it from all messages."""
    mailbox, label_id = acting(context), arguments["id"]
    try:
        mailbox.needs("labels")
        label = labels.get(mailbox, label_id)
        if label["type"] == "system":
            raise Refusal("invalid", f'Failed to delete label: Cannot delete system label with ID "{label_id}".')
        mailbox.needs("edit_labels")
    except ApiError as error:
        raise refused(error, label_id, "delete") from None
    context.delete("label", label_id)
    for message in mailbox.rows("message"):
        if label_id in labels_of(message):
            context.update("message", message["id"], {"labelIds": [i for i in labels_of(message) if i != label_id]})
    return f'Label "{label["name"]}" deleted successfully.'
