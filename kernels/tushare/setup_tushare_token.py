"""The `setup_tushare_token` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tushare.rules.tokens import keep
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Store a token without validating it."""
    keep(context, arguments["token"])
    return "Token配置成功！您现在可以使用Tushare的API功能了。"
