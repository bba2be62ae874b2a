"""Read the note of this day, week, month, quarter or year (`GET /periodic/{period}/`)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.rest import Request
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    as_note = arguments.get("type", "content") == "metadata"
    return Request(context, as_note=as_note).send("GET", f"/periodic/{arguments['period']}/")
