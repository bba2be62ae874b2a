"""The view of a merchant at Alipay: orders, the current status of their trades, and refunds."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.alipay.rules.errors import Refused
from soundstage.kernels.alipay.rules.money import cents, shown
from soundstage.kernels.alipay.rules.trades import Trade, trade_of
from soundstage.servers.view import Query, View

_CHINA = timezone(timedelta(hours=8))
_MOST = 200
_LAST_MS = 253_370_764_800_000
_STATES = {
    "WAIT_BUYER_PAY": "waits to be paid",
    "TRADE_SUCCESS": "paid",
    "TRADE_CLOSED": "closed",
    "TRADE_FINISHED": "finished",
}
_STEPS = ("link made", "opened", "paid")


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the orders; the query's `order` is the merchant's number of the open one."""
    payments = context.list("payment", limit=_MOST)[::-1]
    orders = [_order(context, payment) for payment in payments]
    number = query.get("order")
    opened = next((order for order in orders if order["number"] == number), orders[0] if orders else None)
    refunds = [] if opened is None else context.list("refund", {"outTradeNo": opened["number"]}, limit=_MOST)
    given = [{**refund, "amount": _yuan(refund.get("refundAmount"))} for refund in refunds]
    return View("orders.html.jinja", {"orders": orders, "opened": opened, "refunds": given, "steps": _STEPS}, _CHINA)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a payment or its refunds."""
    if entity not in ("payment", "refund"):
        return None
    return {"order": str(value.get("outTradeNo") or "")}


def _order(context: AppContext, payment: Object) -> dict[str, Any]:
    trade = _trade(context, payment)
    at = payment.get("createdAt")
    return {
        "number": payment["outTradeNo"],
        "title": payment.get("orderTitle") or payment["outTradeNo"],
        "amount": _yuan(payment.get("totalAmount")),
        "state": "link not opened" if trade is None else _STATES.get(trade.status, trade.status),
        "trade": None if trade is None else trade.number,
        "refunded": shown(trade.refunded) if trade is not None and trade.refunded else None,
        "step": 0 if trade is None else 1 if trade.status == "WAIT_BUYER_PAY" else 2,
        "at": from_ms(at) if isinstance(at, int) and 0 <= at < _LAST_MS else None,
    }


def _trade(context: AppContext, payment: Object) -> Trade | None:
    try:
        return trade_of(context, payment["outTradeNo"])
    except Refused:
        return None


def _yuan(amount: object) -> str:
    sum_ = cents(amount) if isinstance(amount, int | float) else None
    return "?" if sum_ is None else shown(sum_)
