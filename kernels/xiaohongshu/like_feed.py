"""Like a note, or take the like back. Asking for the present state succeeds with the same words."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.marks import LIKE, set_mark


def run(context: AppContext, arguments: Arguments) -> str:
    return set_mark(context, arguments, LIKE, wanted=not arguments.get("unlike", False))
