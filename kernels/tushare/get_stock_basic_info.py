"""The `get_stock_basic_info` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.tushare.rules.errors import TushareError
from soundstage.kernels.tushare.rules.tokens import check_accepted, check_configured
from soundstage.kernels.types import Arguments

_LABELS = {
    "area": "所属地区",
    "industry": "所属行业",
    "list_date": "上市日期",
    "market": "市场类型",
    "exchange": "交易所",
    "curr_type": "币种",
    "list_status": "上市状态",
    "delist_date": "退市日期",
}


def run(context: AppContext, arguments: Arguments) -> str:
    """List companies with exactly this code and name, or all of them without arguments."""
    check_accepted(check_configured(context), "查询")
    wanted = {name: arguments[name] for name in ("ts_code", "name") if arguments[name]}
    stocks = context.list("stock", wanted)
    if not stocks:
        raise TushareError("not_found", "未找到符合条件的股票")
    return "\n".join(_worded(stock) for stock in stocks)


def _worded(stock: Object) -> str:
    lines = [f"股票代码: {stock['ts_code']}", f"股票名称: {stock.get('name', 'nan')}"]
    lines += [f"{label}: {stock[field]}" for field, label in _LABELS.items() if field in stock]
    return "\n".join([*lines, "------------------------"])
