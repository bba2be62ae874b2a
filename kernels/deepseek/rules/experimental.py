"""Tools for what DeepSeek may offer one day: switched off unless the server was told otherwise, and of no use then."""

from __future__ import annotations

from typing import NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.api import check_key, is_set
from soundstage.kernels.deepseek.rules.errors import disabled, of_status


def refuse(context: AppContext, tool: str) -> NoReturn:
    """Refuse a call.

    Raises:
        Refusal: the tool is switched off; else 401, or 404 as DeepSeek has none of the addresses.
    """
    if not is_set(context, "DEEPSEEK_EXPERIMENTAL_V4_ENABLED", usual=False):
        raise disabled(tool)
    check_key(context)
    raise of_status(404)
