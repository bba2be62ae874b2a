"""The server's token and its validity.

The server stores it in a file and loads that into its environment with python-dotenv, which never overrides variables: the
first token stays until the process ends. Source: zhewenzhang/tushare_MCP ba9c020, `get_tushare_token` and `set_tushare_token`.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.tushare.rules.errors import TushareError

_FORM = re.compile(r"[0-9a-f]{56}")


def in_use(context: AppContext) -> Object | None:
    """Return the token of the process, or None if it is missing or empty."""
    token = context.first("token")
    return token if token is not None and token["value"] else None


def keep(context: AppContext, value: str) -> None:
    """Write a token to the file. A token that the process has already loaded stays in use."""
    for other in context.list("token")[1:]:
        if other["value"] != value:
            context.delete("token", other["value"])
    if context.get("token", value) is None:
        context.create("token", {"value": value})


def check_configured(context: AppContext) -> Object:
    """Return the token of the process.

    Raises:
        TushareError: No token is configured.
    """
    if (token := in_use(context)) is None:
        raise TushareError("unauthorized", "请先配置Tushare token")
    return token


def check_accepted(token: Object, doing: str) -> None:
    """Check that Tushare accepts a token; `doing` is the tool's prefix.

    Raises:
        TushareError: 查询失败：您的token不对，请确认。
    """
    if not token.get("valid", _FORM.fullmatch(token["value"]) is not None):
        raise TushareError("unauthorized", f"{doing}失败：您的token不对，请确认。")
