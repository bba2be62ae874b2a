"""The `query_alipay_payment` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.alipay.rules.errors import Refused, failure_of
from soundstage.kernels.alipay.rules.money import shown
from soundstage.kernels.alipay.rules.trades import trade_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the status of an order's trade."""
    try:
        trade = trade_of(context, arguments["outTradeNo"])
    except Refused as refused:
        raise failure_of("交易查询", refused) from None
    return f"交易状态: {trade.status}, 交易金额: {shown(trade.total)}, 支付宝交易号: {trade.number}"
