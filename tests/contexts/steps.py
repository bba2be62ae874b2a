"""Doing a step in a context as a call does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.store import Context


def step(context: Context, work: Callable[[AppContext], Any], *, app: str = "sample") -> Any:
    """Run `work` as one recorded step and return what it returns."""
    with context.step("call", "test", {}, app=app):
        return work(context.app(app))
