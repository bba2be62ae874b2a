"""List filters, of which the server never finds any: it looks for them under another name than the API's."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.errors import ApiError, wrapped
from soundstage.kernels.gmail.rules.filters import Missed
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments

_NONE = "No filters found."


def run(context: AppContext, arguments: Arguments) -> str | Missed:
    mailbox = acting(context)
    try:
        mailbox.needs("filters")
    except ApiError as error:
        raise wrapped(error, "Failed to list filters") from None
    return Missed(_NONE) if mailbox.rows("filter") else _NONE
