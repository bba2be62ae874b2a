"""Favourite a note, or take that back. Asking for the present state succeeds with the same words."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.marks import FAVORITE, set_mark


def run(context: AppContext, arguments: Arguments) -> str:
    return set_mark(context, arguments, FAVORITE, wanted=not arguments.get("unfavorite", False))
