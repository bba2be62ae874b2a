"""Changes of a single message, used by the individual tools and the batches."""

from __future__ import annotations

from soundstage.kernels.gmail.rules import labels, messages
from soundstage.kernels.gmail.rules.mailbox import Mailbox


def modify(mailbox: Mailbox, message_id: str, add: list[str], remove: list[str]) -> None:
    """Add and remove labels.

    Raises:
        ApiError: The change is not allowed, or a label or the message does not exist.
    """
    mailbox.needs("modify")
    labels.check_changes(mailbox, add, remove)
    message = mailbox.message(message_id)
    current = messages.labels(message)
    changed = labels.with_changes(current, add, remove)
    if changed != current:
        mailbox.context.update("message", message["id"], {"labelIds": changed})


def delete(mailbox: Mailbox, message_id: str) -> None:
    """Delete a message permanently with its attachments, and its draft if it has one.

    Raises:
        ApiError: The deletion is not allowed, or the message does not exist.
    """
    mailbox.needs("delete")
    message = mailbox.message(message_id)
    mailbox.context.delete("message", message["id"])
    for draft in mailbox.rows("draft"):
        if (draft.get("message") or {}).get("id") == message["id"]:
            mailbox.context.delete("draft", draft["id"])
