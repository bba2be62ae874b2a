"""The `slack_get_channel_history` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import history, identity
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.values import js_text, required_arguments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Read a channel's newest messages (conversations.history); without a cursor, only the first page is available."""
    (channel_id,) = required_arguments(arguments, "channel_id")
    limit = arguments.get("limit", 10)
    if limit is None:
        raise Refusal("Cannot read properties of null (reading 'toString')")
    page = history.history(context, identity.bot(context), channel_id, limit=js_text(limit))
    return page.body(pin_count=0)
