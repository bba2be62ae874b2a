"""The `like_feed` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.marks import LIKE, set_mark


def run(context: AppContext, arguments: Arguments) -> str:
    """Like a note or undo it; requesting the current state returns the same text."""
    return set_mark(context, arguments, LIKE, wanted=not arguments.get("unlike", False))
