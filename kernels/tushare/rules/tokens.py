"""The server's token, and what Tushare thinks of it.

The server keeps it in a file and reads that into its environment, which python-dotenv fills but never changes: whatever was read
first stays until the process ends. Source: zhewenzhang/tushare_MCP ba9c020, `get_tushare_token` and `set_tushare_token`.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.tushare.rules.errors import TushareError

_FORM = re.compile(r"[0-9a-f]{56}")


def in_use(context: AppContext) -> Object | None:
    """The token that the process has; None where there is none, or an empty one."""
    token = context.first("token")
    return token if token is not None and token["value"] else None


def keep(context: AppContext, value: str) -> None:
    """Write a token into the file. One that the process has read already stays in use."""
    for other in context.list("token")[1:]:
        if other["value"] != value:
            context.delete("token", other["value"])
    if context.get("token", value) is None:
        context.create("token", {"value": value})


def check_configured(context: AppContext) -> Object:
    """The token that calls go with.

    Raises:
        TushareError: there is none.
    """
    if (token := in_use(context)) is None:
        raise TushareError("unauthorized", "请先配置Tushare token")
    return token


def check_accepted(token: Object, doing: str) -> None:
    """Refuse what Tushare refuses of a token; `doing` is what the tool says it failed at.

    Raises:
        TushareError: 查询失败：您的token不对，请确认。
    """
    if not token.get("valid", _FORM.fullmatch(token["value"]) is not None):
        raise TushareError("unauthorized", f"{doing}失败：您的token不对，请确认。")
