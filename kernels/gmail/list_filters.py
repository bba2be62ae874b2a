"""The `list_filters` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.errors import ApiError, wrapped
from soundstage.kernels.gmail.rules.filters import Missed
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments

_NONE = "No filters found."


def run(context: AppContext, arguments: Arguments) -> str | Missed:
    """List filters; the server never finds any, because it reads the wrong member of the response."""
    mailbox = acting(context)
    try:
        mailbox.needs("filters")
    except ApiError as error:
        raise wrapped(error, "Failed to list filters") from None
    return Missed(_NONE) if mailbox.rows("filter") else _NONE
