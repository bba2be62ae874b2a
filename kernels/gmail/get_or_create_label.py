"""Find a label by name, whatever the case, or make it.

What the answer says goes by the label's type and by whether its name is written in the same case, not by what was done: a label
of Gmail's own, and one that differs in case, count as new.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.gmail.rules import labels
from soundstage.kernels.gmail.rules.errors import wrapped
from soundstage.kernels.gmail.rules.labeling import create, shown
from soundstage.kernels.gmail.rules.mailbox import Mailbox, acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
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
