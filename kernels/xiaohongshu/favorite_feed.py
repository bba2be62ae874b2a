"""Favourite a note, or take that back. Asking for the present state succeeds with the same words."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from kernels.types import Arguments
from kernels.xiaohongshu.rules.marks import FAVORITE, set_mark


def run(context: AppContext, arguments: Arguments) -> str:
    return set_mark(context, arguments, FAVORITE, wanted=not arguments.get("unfavorite", False))
