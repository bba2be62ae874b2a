"""The life cycle of a trade: it is created when the payer opens the link, waits for payment, is paid, and closes or finishes.

An unpaid trade closes after fifteen days, and a paid one can be refunded for a year. Both are Alipay's defaults
(alipay.trade.page.pay: timeout_express; agreement on refunds).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms, to_ms
from soundstage.contexts.engine.ids import drawn
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.alipay.rules.errors import Refused
from soundstage.kernels.alipay.rules.money import cents

Status = Literal["WAIT_BUYER_PAY", "TRADE_SUCCESS", "TRADE_CLOSED", "TRADE_FINISHED"]

_EVERYBODY = "*"
_PAYER: Object = {"outTradeNo": _EVERYBODY, "opensAfter": 2, "paysAfter": 5}
"""The behaviour of payers that the state does not define."""
_DAY = 86_400_000
_CLOSES_AFTER, _FINISHES_AFTER = 15 * _DAY, 365 * _DAY
_LARGEST = 10_000_000_000  # cents


@dataclass(frozen=True, slots=True)
class Trade:
    """The current state of a trade. Amounts are in cents."""

    order: str
    number: str
    status: Status
    total: int
    refunded: int


def trade_of(context: AppContext, order: str) -> Trade:
    """Return the trade of a merchant's order.

    Raises:
        Refused: ACQ.TRADE_NOT_EXIST, also until the payer has opened the link.
    """
    payment = context.get("payment", order)
    result = None if payment is None else _trade(context, payment)
    if result is None:
        raise Refused("not_found")  # ACQ.TRADE_NOT_EXIST
    return result


def opened(context: AppContext, payment: Object) -> bool:
    """Return whether a trade exists for a link."""
    return _trade(context, payment) is not None


def _trade(context: AppContext, payment: Object) -> Trade | None:
    order = payment["outTradeNo"]
    status = payment.get("tradeStatus") or _status_by_now(context, payment)
    total = cents(payment.get("totalAmount", 0))
    if status is None or total is None:
        return None
    done = context.list("refund", {"outTradeNo": order, "refundStatus": "REFUND_SUCCESS"})
    refunded = sum(cents(refund["refundAmount"]) or 0 for refund in done)
    if total and refunded >= total:
        status = "TRADE_CLOSED"
    return Trade(order, payment.get("tradeNo") or _number(payment), status, total, refunded)


def _status_by_now(context: AppContext, payment: Object) -> Status | None:
    """Return the status that results from the payer's actions, or None before the link is opened and for invalid amounts."""
    total = cents(payment.get("totalAmount", 0))
    payer = context.get("payer", payment["outTradeNo"]) or context.get("payer", _EVERYBODY) or _PAYER
    gone = to_ms(context.now()) - payment.get("createdAt", 0)
    opens, pays = payer.get("opensAfter"), payer.get("paysAfter")
    if opens is None or gone < opens * 1000 or total is None or not 0 < total <= _LARGEST:
        return None
    if pays is None or pays * 1000 >= opens * 1000 + _CLOSES_AFTER or gone < pays * 1000:
        return "TRADE_CLOSED" if gone >= opens * 1000 + _CLOSES_AFTER else "WAIT_BUYER_PAY"
    return "TRADE_FINISHED" if gone >= pays * 1000 + _FINISHES_AFTER else "TRADE_SUCCESS"


def _number(payment: Object) -> str:
    """Return Alipay's number of a trade: the day in China followed by twenty digits."""
    at = payment.get("createdAt", 0)
    number = drawn(0, f"alipay trade {payment['outTradeNo']}", at) % 10**15
    return f"{from_ms(at + 8 * 3_600_000):%Y%m%d}22001{number:015}"
