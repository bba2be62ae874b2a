"""The `search_stocks` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tushare.rules.errors import TushareError
from soundstage.kernels.tushare.rules.patterns import BadPattern, compiled
from soundstage.kernels.tushare.rules.tokens import check_accepted, check_configured
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Search listed companies whose code or name matches a regular expression."""
    check_accepted(check_configured(context), "搜索")
    try:
        pattern = compiled(arguments["keyword"])
    except BadPattern as bad:
        raise TushareError("invalid", f"搜索失败：{bad}") from None
    match = [
        f"{stock['ts_code']} - {stock.get('name', 'nan')}"
        for stock in context.list("stock")
        if any(pattern.search(text.encode()) for text in (stock["ts_code"], stock.get("name")) if text is not None)
    ]
    if not match:
        raise TushareError("not_found", "未找到符合条件的股票")
    return "\n".join(match)
