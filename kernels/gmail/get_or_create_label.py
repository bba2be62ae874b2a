"""The `get_or_create_label` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import wrapped
from soundstage.kernels.gmail.rules.labeling import create, shown
from soundstage.kernels.gmail.rules.mailbox import Mailbox, acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the label with a name, ignoring case, or create it.

    The reply depends on the label's type and exact case instead of the operation: system labels and labels that differ in case
    are reported as new.
    """
    mailbox, name = acting(context), arguments["name"]
    try:
        label = _named(mailbox, name)
        if label is None:
            made = create(mailbox, arguments)
            return f"Successfully created new label:\n{shown(made['id'], made['name'], None)}"
    except AppError as error:
        raise wrapped(error, "Failed to get or create label") from None
    action = "found existing" if label["type"] == "user" and label["name"] == name else "created new"
    return f"Successfully {action} label:\n{shown(label['id'], label['name'], label['type'])}"


def _named(mailbox: Mailbox, name: str) -> labels.Shown | None:
    try:
        mailbox.needs("labels")
    except AppError as error:
        raise wrapped(wrapped(error, "Failed to list labels"), "Failed to find label") from None
    return next((label for label in labels.listed(mailbox) if label["name"].lower() == name.lower()), None)
