"""The `check_token_status` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tushare.rules.errors import TushareError
from soundstage.kernels.tushare.rules.tokens import in_use
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Report whether a token is configured; its validity is not checked."""
    if in_use(context) is None:
        raise TushareError("unauthorized", "未配置Tushare token。请使用configure_token提示来设置您的token。")
    return "Token配置正常，可以使用Tushare API。"
