"""What the tools that make and change labels share: the server's words, and its creation of a label."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import ApiError, Refusal, wrapped
from soundstage.kernels.gmail.rules.mailbox import Mailbox
from soundstage.kernels.types import Arguments


def create(mailbox: Mailbox, arguments: Arguments) -> Object:
    """Make a label from `name` and the two visibilities.

    Raises:
        Refusal: Failed to create label.
    """
    try:
        mailbox.needs("edit_labels")
        return labels.create(mailbox, arguments["name"], _visibility(arguments))
    except ApiError as error:
        raise wrapped(error, "Failed to create label") from None


def shown(label_id: str, name: str, kind: str | None) -> str:
    """A label in the server's words; without a type it prints what JavaScript has instead."""
    return f"ID: {label_id}\nName: {name}\nType: {kind or 'undefined'}"


def refused(error: ApiError, label_id: str, doing: str) -> Refusal:
    """An error of the API while a label is changed."""
    if error.code == 404:
        return Refusal("not_found", f'Label with ID "{label_id}" not found.')
    return wrapped(error, f"Failed to {doing} label")


def _visibility(arguments: Arguments) -> labels.Visibility:
    found: labels.Visibility = {}
    if "messageListVisibility" in arguments:
        found["messageListVisibility"] = arguments["messageListVisibility"]
    if "labelListVisibility" in arguments:
        found["labelListVisibility"] = arguments["labelListVisibility"]
    return found
