"""The `refund_alipay_payment` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.alipay.rules.errors import Refused, failure_of
from soundstage.kernels.alipay.rules.money import cents, storable_amount
from soundstage.kernels.alipay.rules.trades import Trade, trade_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Refund all or a part of a paid order; repeating the same request has no effect."""
    try:
        trade = trade_of(context, arguments["outTradeNo"])
        anew = _refund(context, trade, arguments)
    except Refused as refused:
        raise failure_of("退款执行", refused) from None
    return f"退款结果: {'退款成功' if anew else '重复请求退款幂等成功'}, 退款交易: {trade.number}"


def _refund(context: AppContext, trade: Trade, arguments: Arguments) -> bool:
    """Refund an order; return False if this request was already processed.

    Raises:
        Refused: ACQ.INVALID_PARAMETER, ACQ.DISCORDANT_REPEAT_REQUEST, ACQ.TRADE_STATUS_ERROR, ACQ.TRADE_HAS_FINISHED,
            ACQ.TRADE_HAS_CLOSE or ACQ.REFUND_AMT_NOT_EQUAL_TOTAL.
    """
    amount, request = cents(arguments["refundAmount"]), arguments["outRequestNo"]
    if amount is None:
        raise Refused("invalid")  # ACQ.INVALID_PARAMETER
    before = context.get("refund", (trade.order, request))
    if before is not None and before.get("refundStatus") == "REFUND_SUCCESS":
        if cents(before["refundAmount"]) != amount:
            raise Refused("conflict")  # ACQ.DISCORDANT_REPEAT_REQUEST
        return False
    if trade.status == "WAIT_BUYER_PAY":
        raise Refused("conflict")  # ACQ.TRADE_STATUS_ERROR
    if trade.status == "TRADE_FINISHED":
        raise Refused("conflict")  # ACQ.TRADE_HAS_FINISHED
    if trade.status == "TRADE_CLOSED":
        raise Refused("conflict")  # ACQ.TRADE_HAS_CLOSE
    if trade.refunded + amount > trade.total:
        raise Refused("limit")  # ACQ.REFUND_AMT_NOT_EQUAL_TOTAL
    reason = {"refundReason": arguments["refundReason"]} if "refundReason" in arguments else {}
    made = {"refundAmount": storable_amount(arguments["refundAmount"]), **reason, "refundStatus": "REFUND_SUCCESS"}
    if before is None:
        context.create("refund", {"outTradeNo": trade.order, "outRequestNo": request, **made})
    else:
        context.update("refund", (trade.order, request), made)
    return True
