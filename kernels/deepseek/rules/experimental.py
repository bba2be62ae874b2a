"""Speculative tools for features that DeepSeek may offer in the future: disabled by default, and without effect if enabled."""

from __future__ import annotations

from typing import NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.api import check_key, is_set
from soundstage.kernels.deepseek.rules.errors import disabled, of_status


def refuse(context: AppContext, tool: str) -> NoReturn:
    """Refuse a call.

    Raises:
        Refusal: The tool is disabled, the key is invalid (401), or the endpoint does not exist (404).
    """
    if not is_set(context, "DEEPSEEK_EXPERIMENTAL_V4_ENABLED", usual=False):
        raise disabled(tool)
    check_key(context)
    raise of_status(404)
