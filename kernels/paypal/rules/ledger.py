"""The merchant's transactions: rows of the state, and entries derived from captures, refunds and paid invoices.

Source: reporting_transactions_v1.json and
https://developer.paypal.com/docs/transaction-search/transaction-event-codes/. PayPal documents that a payment may take
three hours to appear; in this simulation it appears at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.invoices import as_it_is
from soundstage.kernels.paypal.rules.money import Money, amount, value_of
from soundstage.kernels.paypal.rules.payments import capture_of
from soundstage.kernels.paypal.rules.times import format_reported, parse_time

_CHECKOUT = "T0006"
_INVOICE = "T0007"
_REFUND = "T1107"
_FEE_RATE = Decimal("0.0349")  # PayPal Checkout in the United States
_FIXED_FEE = Decimal("0.49")


def between(infos: Iterable[Object], start: datetime, end: datetime, status: str) -> list[Object]:
    """Return the transactions with a status that began within a period."""
    return [
        {"transaction_info": info}
        for info in infos
        if info.get("transaction_status") == status
        and (begun := parse_time(str(info.get("transaction_initiation_date", "")))) is not None
        and start <= begun <= end
    ]


def entries(context: AppContext) -> list[Object]:
    """Return every transaction, incoming and outgoing."""
    given = [row["transaction_info"] for row in context.list("transaction") if "transaction_info" in row]
    known = {info.get("transaction_id") for info in given}
    made = [*_of_captures(context), *_of_invoices(context)]
    return [*given, *(info for info in made if info["transaction_id"] not in known)]


def _of_captures(context: AppContext) -> list[Object]:
    infos = []
    refunds: dict[str | None, list[Object]] = {}
    for refund in context.list("refund"):
        refunds.setdefault(capture_of(refund), []).append(refund)
    for row in context.list("capture"):
        if "create_time" in row and "amount" in row:
            fee = -(value_of(row["amount"]) * _FEE_RATE + _FIXED_FEE)
            infos.append(_info(_CHECKOUT, row["id"], row["create_time"], row["amount"], fee))
        for refund in refunds.get(row["id"], ()):
            if "create_time" in refund and "amount" in refund:
                given_back = amount(refund["amount"]["currency_code"], -value_of(refund["amount"]))
                infos.append(_info(_REFUND, refund["id"], refund["create_time"], given_back))
    return infos


def _of_invoices(context: AppContext) -> list[Object]:
    infos = []
    for row in context.list("invoice"):
        if "awaited" not in row:
            continue
        now = as_it_is(context, row)
        for payment in now.get("payments", {}).get("transactions", []):
            fee = -(value_of(payment["amount"]) * _FEE_RATE + _FIXED_FEE)
            infos.append(_info(_INVOICE, payment["payment_id"], row["awaited"]["at"], payment["amount"], fee))
    return infos


def _info(code: str, transaction_id: str, at: str, money: Money | Object, fee: Decimal | None = None) -> Object:
    moment = parse_time(at)
    shown = at if moment is None else format_reported(moment)
    info: Object = {
        "transaction_id": transaction_id,
        "transaction_event_code": code,
        "transaction_initiation_date": shown,
        "transaction_updated_date": shown,
        "transaction_amount": money,
    }
    if fee is not None:
        info["fee_amount"] = amount(money["currency_code"], fee)
    return {**info, "transaction_status": "S"}
