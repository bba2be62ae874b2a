"""The `query_alipay_refund` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.alipay.rules.errors import AlipayError, Refused, failure_of
from soundstage.kernels.alipay.rules.money import cents, shown
from soundstage.kernels.alipay.rules.trades import trade_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return whether a refund has been made."""
    try:
        trade = trade_of(context, arguments["outTradeNo"])
    except Refused as refused:
        raise failure_of("退款查询", refused) from None
    refund = context.get("refund", (trade.order, arguments["outRequestNo"])) or {}
    status = refund.get("refundStatus")
    if status != "REFUND_SUCCESS":
        raise AlipayError("not_found", f"未查询到退款成功. 退款状态: {status}")
    amount = shown(cents(refund["refundAmount"]) or 0)
    return f"查询到退款成功, 退款交易: {trade.number}, 退款金额: {amount}, 退款状态: {status}"
