"""The `favorite_feed` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.marks import FAVORITE, set_mark


def run(context: AppContext, arguments: Arguments) -> str:
    """Favourite a note or undo it; requesting the current state returns the same text."""
    return set_mark(context, arguments, FAVORITE, wanted=not arguments.get("unfavorite", False))
