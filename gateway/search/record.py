"""How a search stands in the journal: a step of no app, without a receipt, that the session's clock does not feel."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context
from soundstage.servers.reply import Result


def record(context: Context, tool: str, arguments: Any, answer: Result, duration_us: int) -> int:
    """Record a call of a search tool.

    Returns:
        Its step.

    Raises:
        ContextError: the session's context cannot be used; nothing is recorded then.
    """
    return _append(context, tool, arguments, answer.ok, answer.is_error, answer.error_kind, answer.wire(), duration_us)


def repeat(context: Context, row: journal.Row) -> None:
    """Record a search of another journal as it was: its answer hangs on the catalogue and the model, not on the session."""
    _append(
        context, row.tool, row.arguments, row.ok, row.is_error, row.error_kind, row.reply, row.duration_us, row.at_ms
    )


def _append(
    context: Context,
    tool: str,
    arguments: Any,
    ok: bool,
    is_error: bool | None,
    error_kind: str | None,
    reply: Any,
    duration_us: int,
    at_ms: int | None = None,
) -> int:
    with context.all_or_nothing():
        context.begin(at_ms)
        step = context.running_step
        at = context.now_ms()
        receipt = context.finish(ticks=False)
        journal.append(
            context,
            journal.Row(step, at, None, tool, arguments, ok, is_error, error_kind, reply, None, receipt, duration_us),
        )
        context.commit()
    return step
