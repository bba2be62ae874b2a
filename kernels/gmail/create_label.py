"""The `create_label` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.labeling import create, shown
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a label; the API's response lacks a type, which the server prints as `undefined`."""
    label = create(acting(context), arguments)
    return f"Label created successfully:\n{shown(label['id'], label['name'], None)}"
