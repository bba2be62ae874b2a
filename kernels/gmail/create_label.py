"""Make a label. The API's answer bears no type, and the server prints that."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.labeling import create, shown
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    label = create(acting(context), arguments)
    return f"Label created successfully:\n{shown(label['id'], label['name'], None)}"
