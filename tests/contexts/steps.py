"""Doing a step in a context as a call does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.store import Context


def step(context: Context, work: Callable[[AppContext], Any], *, app: str = "sample") -> Any:
    """Run `work` as one recorded step and return what it returns."""
    meta = context.begin()
    result = work(context.app(app))
    at_ms = context.now_ms()
    receipt = context.finish()
    row = journal.Row(meta.step, at_ms, app, "test", {}, True, None, None, None, None, receipt, 0)
    journal.append(context, row)
    context.commit()
    return result
