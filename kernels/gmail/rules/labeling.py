"""Shared by the tools that create and change labels: label creation and the server's words."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import ApiError, Refusal, wrapped
from soundstage.kernels.gmail.rules.mailbox import Mailbox
from soundstage.kernels.types import Arguments


def create(mailbox: Mailbox, arguments: Arguments) -> Object:
    """Create a label from `name` and the two visibility arguments.

    Raises:
        Refusal: The API refuses the label.
    """
    try:
        mailbox.needs("edit_labels")
        return labels.create(mailbox, arguments["name"], _visibility(arguments))
    except ApiError as error:
        raise wrapped(error, "Failed to create label") from None


def shown(label_id: str, name: str, kind: str | None) -> str:
    """Format a label like the server; a missing type is printed as `undefined`."""
    return f"ID: {label_id}\nName: {name}\nType: {kind or 'undefined'}"


def refused(error: ApiError, label_id: str, doing: str) -> Refusal:
    """Return the server's error for an API error while changing a label."""
    if error.code == 404:
        return Refusal("not_found", f'Label with ID "{label_id}" not found.')
    return wrapped(error, f"Failed to {doing} label")


def _visibility(arguments: Arguments) -> labels.Visibility:
    result: labels.Visibility = {}
    if "messageListVisibility" in arguments:
        result["messageListVisibility"] = arguments["messageListVisibility"]
    if "labelListVisibility" in arguments:
        result["labelListVisibility"] = arguments["labelListVisibility"]
    return result
