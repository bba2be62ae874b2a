"""Labels: system labels, which every mailbox has, and the user's."""

from __future__ import annotations

from typing import TypedDict

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.gmail.rules.errors import ApiError, invalid_label, not_found, unknown_label
from soundstage.kernels.gmail.rules.mailbox import Mailbox

SYSTEM = (
    "CHAT", "SENT", "INBOX", "IMPORTANT", "TRASH", "DRAFT", "SPAM", "CATEGORY_FORUMS", "CATEGORY_UPDATES",
    "CATEGORY_PERSONAL", "CATEGORY_PROMOTIONS", "CATEGORY_SOCIAL", "STARRED", "UNREAD",
)  # fmt: skip
"""System labels, in the order of the API."""

_FIXED = frozenset({"SENT", "DRAFT", "CHAT"})
_RESERVED = frozenset(
    {"inbox", "sent", "sent mail", "draft", "drafts", "trash", "bin", "spam", "unread", "starred", "important", "chat", "chats",
     "all", "all mail", "muted", "snoozed", "scheduled", "archive", "migrated", "read", "anywhere", "voicemail", "buzz", "popped"}
)  # fmt: skip
_MOST_LABELS = 10_000
_MOST_AT_ONCE = 100
_LONGEST_NAME = 225


class Shown(TypedDict):
    """A label as the API returns it."""

    id: str
    name: str
    type: str


class Visibility(TypedDict, total=False):
    """The visibility of a label."""

    messageListVisibility: str
    labelListVisibility: str


def listed(mailbox: Mailbox) -> list[Shown]:
    """Return all labels, system labels first."""
    own: list[Shown] = [{"id": name, "name": name, "type": "system"} for name in SYSTEM]
    return [*own, *(_shown(row) for row in mailbox.rows("label") if row["id"] not in SYSTEM)]


def get(mailbox: Mailbox, label_id: str) -> Shown:
    """Return a label by id.

    Raises:
        ApiError: The label does not exist.
    """
    for label in listed(mailbox):
        if label["id"] == label_id:
            return label
    raise not_found()


def create(mailbox: Mailbox, name: str, visibility: Visibility) -> Object:
    """Create a label of the user.

    Raises:
        ApiError: The name is invalid or in use, or the mailbox has too many labels.
    """
    _check_name(mailbox, name, None)
    if len(mailbox.rows("label")) >= _MOST_LABELS:
        raise ApiError(400, "limit", "Maximum number of labels reached")
    label_id = _next_id(mailbox)
    return mailbox.context.create(
        "label",
        mailbox.owned(
            {
                "id": label_id,
                "name": name,
                "type": "user",
                "messageListVisibility": visibility.get("messageListVisibility") or "show",
                "labelListVisibility": visibility.get("labelListVisibility") or "labelShow",
            }
        ),
    )


def check_update(mailbox: Mailbox, label: Shown, name: str | None) -> None:
    """Check that a label may be changed and that its new name is valid.

    Raises:
        ApiError: The label is a system label, or the name is invalid or in use.
    """
    if label["type"] == "system":
        raise ApiError(400, "invalid", "Invalid update request")
    if name is not None:
        _check_name(mailbox, name, label["id"])


def check_changes(mailbox: Mailbox, add: list[str], remove: list[str]) -> None:
    """Check the labels to add to and remove from a message.

    Raises:
        ApiError: No labels are given, or a label is invalid or unknown.
    """
    if not add and not remove:
        raise ApiError(400, "invalid", "No label add or removes specified")
    if max(len(add), len(remove)) > _MOST_AT_ONCE:
        raise ApiError(400, "limit", "Too many label ids; at most 100 may be added or removed")
    check_ids(mailbox, [*add, *remove])


def check_ids(mailbox: Mailbox, label_ids: list[str]) -> None:
    """Reject ids that are not labels which users may add and remove.

    Names, unknown ids and labels that only Gmail sets are rejected.
    """
    known = {label["id"] for label in listed(mailbox)}
    for label_id in label_ids:
        if label_id in _FIXED:
            raise invalid_label(label_id)
        if label_id not in known:
            raise unknown_label() if label_id.startswith("Label_") else invalid_label(label_id)


def with_changes(label_ids: list[str], add: list[str], remove: list[str]) -> list[str]:
    """Return a message's labels after a change; a label that is both added and removed is removed."""
    added = [*label_ids, *(label for label in dict.fromkeys(add) if label not in label_ids)]
    return [label for label in added if label not in remove]


def _shown(row: Object) -> Shown:
    return {"id": row["id"], "name": row.get("name") or row["id"], "type": row.get("type") or "user"}


def _check_name(mailbox: Mailbox, name: str, own_id: str | None) -> None:
    wanted = name.strip().lower()
    parts = wanted.split("/")
    if not all(part.strip() for part in parts) or wanted in _RESERVED or len(name) > _LONGEST_NAME:
        raise ApiError(400, "invalid", "Invalid label name")
    if any(label["name"].lower() == wanted and label["id"] != own_id for label in listed(mailbox)):
        raise ApiError(409, "conflict", "Label name exists or conflicts")


def _next_id(mailbox: Mailbox) -> str:
    """Return `Label_` and the number after the highest in any mailbox, so that ids are unique across mailboxes."""
    numbers = [int(n) for row in mailbox.context.list("label") if (n := row["id"].removeprefix("Label_")).isdecimal()]
    return f"Label_{max(numbers, default=0) + 1}"
