"""PayPal as one merchant's server sees it, with the field names of its REST APIs.

There are no accounts: every actor works as the merchant whose access token the server holds.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, Misfit, Object, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("paypal")

_BILLION = 10**9
_OF_CYCLE = {"frequency.interval_unit", "frequency.interval_count", "tenure_type", "sequence", "pricing_scheme"}


def _misfit_of_payer(value: Object) -> str | None:
    seconds = value.get("after_seconds") or 0
    return None if 0 <= seconds <= _BILLION else "expected after_seconds from 0 to a billion"


def _misfit_of_money(*fields: str) -> Misfit:
    """Return a check that reports an amount of money without currency or value."""

    def misfit(value: Object) -> str | None:
        for field in fields:
            money = value.get(field)
            if money is not None and not money.keys() >= {"currency_code", "value"}:
                return f"expected {field} with currency_code and value"
        return None

    return misfit


def _misfit_of_awaited(value: Object) -> str | None:
    awaited = value.get("awaited")
    if awaited is not None and not awaited.keys() >= {"at", "payer"}:
        return "expected awaited with at and payer"
    return None


def _misfit_of_plan(value: Object) -> str | None:
    for cycle in value.get("billing_cycles") or ():
        frequency = cycle.get("frequency") or {}
        members = {*cycle, *(f"frequency.{name}" for name in frequency)}
        if not members >= _OF_CYCLE:
            return f"expected billing_cycles with {', '.join(sorted(_OF_CYCLE))}"
    return None


def _misfit_of_invoice(value: Object) -> str | None:
    awaited = value.get("awaited")
    if awaited is not None and ("payment_id" not in awaited or "amount" not in value):
        return "expected awaited with payment_id, and an amount"
    if any(not notice.keys() >= {"kind", "at"} for notice in value.get("notices") or ()):
        return "expected notices with kind and at"
    return _misfit_of_awaited(value) or _misfit_of_money("amount", "due_amount")(value)


def _misfit_of_order(value: Object) -> str | None:
    for unit in value.get("purchase_units") or ():
        if not (unit.get("amount") or {}).keys() >= {"currency_code", "value"}:
            return "expected purchase_units with an amount of currency_code and value"
        if any("id" not in capture for capture in (unit.get("payments") or {}).get("captures") or ()):
            return "expected captures with an id"
    prices = value.get("prices")
    if prices is not None and not prices.keys() >= {"breakdown", "items"}:
        return "expected prices with breakdown and items"
    return _misfit_of_awaited(value)


_MONEY = {"currency_code": str, "value": str}
_CYCLE = {
    "frequency": {"interval_unit": str, "interval_count": int},
    "tenure_type": str,
    "sequence": int,
    "total_cycles": int,
    "pricing_scheme": {"fixed_price": _MONEY},
}
_NAME = {"given_name": str, "surname": str}
_PERSON = {"name": _NAME, "email_address": str}
_CAPTURES = {"captures": [{"id": str, "status": str, "amount": _MONEY}]}
_UNIT = {
    "reference_id": str,
    "amount": _MONEY,
    "items": [{"name": str, "quantity": str}],
    "payments": _CAPTURES,
}
# The future action of a payer: when, whether the money is then declined, and who pays. Objects without it wait for no
# payer.
_AWAITED = {"at": str, "payer": {**_PERSON, "payer_id": str}, "declined": bool, "payment_id": str}

# The first row is the server's merchant. `send_fails` makes every attempt to send an invoice fail.
MERCHANT = TABLES.entity(
    "merchant",
    Column("account_number", Text, primary_key=True, info=id_format("{upper:13}")),
    Column("primary_email", Text),
    Column("business_name", Text),
    Column("send_fails", Flag),
)

# The token that the server was started with. Without a row the token is valid.
ACCESS_TOKEN = TABLES.entity(
    "access_token",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("valid", Flag),
    Column("no_access", Flag),
    Column("ratelimited", Flag),
)

# People who pay. `after_seconds` is their delay. `approves` false means that they never approve, `declined` true that
# their bank then declines. Invoices are paid only by recipients whose address has a row here.
PAYER = TABLES.entity(
    "payer",
    Column("email_address", Text, primary_key=True),
    Column("name", Json, info=shape(_NAME)),
    Column("payer_id", Text),
    Column("approves", Flag),
    Column("after_seconds", Integer),
    Column("declined", Flag),
    misfit=_misfit_of_payer,
)

PRODUCT = TABLES.entity(
    "product",
    Column("id", Text, primary_key=True, info=id_format("PROD-{upper:17}")),
    Column("name", Text),
    Column("description", Text),
    Column("type", Text),
    Column("category", Text),
    Column("image_url", Text),
    Column("home_url", Text),
    Column("create_time", Text),
    Column("update_time", Text),
)

PLAN = TABLES.entity(
    "plan",
    Column("id", Text, primary_key=True, info=id_format("P-{upper:24}")),
    Column("product_id", Text),
    Column("name", Text),
    Column("status", Text),
    Column("description", Text),
    Column("usage_type", Text),
    Column("billing_cycles", Json, info=shape([_CYCLE])),
    Column("payment_preferences", Json, info=shape({"setup_fee": _MONEY})),
    Column("taxes", Json, info=shape(dict)),
    Column("quantity_supported", Flag),
    Column("create_time", Text),
    Column("update_time", Text),
    parents={"product": "product_id"},
    misfit=_misfit_of_plan,
)

SUBSCRIPTION = TABLES.entity(
    "subscription",
    Column("id", Text, primary_key=True, info=id_format("I-{upper:12}")),
    Column("plan_id", Text),
    Column("status", Text),
    Column("status_change_note", Text),
    Column("status_update_time", Text),
    Column("start_time", Text),
    Column("quantity", Text),
    Column("shipping_amount", Json, info=shape(_MONEY)),
    Column("subscriber", Json, info=shape(_PERSON)),
    Column("billing_info", Json, info=shape(dict)),
    Column("application_context", Json, info=shape(dict)),
    Column("create_time", Text),
    Column("update_time", Text),
    Column("awaited", Json, info=shape(_AWAITED)),
    parents={"plan": "plan_id"},
    misfit=_misfit_of_awaited,
)

# `no_access` marks another merchant's invoice. The server adds `number` and `create_time` to `detail`; `notices` are
# the mails sent about the invoice.
INVOICE = TABLES.entity(
    "invoice",
    Column("id", Text, primary_key=True, info=id_format("INV2-{upper:4}-{upper:4}-{upper:4}-{upper:4}")),
    Column("status", Text),
    Column("detail", Json, info=shape({"invoice_date": str, "currency_code": str, "invoice_number": str})),
    Column("invoicer", Json, info=shape({"business_name": str, "email_address": str})),
    Column("primary_recipients", Json, info=shape([{"billing_info": _PERSON}])),
    Column("items", Json, info=shape([{"name": str, "quantity": str, "unit_amount": _MONEY}])),
    Column("amount", Json, info=shape(_MONEY)),
    Column("due_amount", Json, info=shape(_MONEY)),
    Column(
        "payments", Json, info=shape({"transactions": [{"payment_id": str, "amount": _MONEY}], "paid_amount": _MONEY})
    ),
    Column("no_access", Flag),
    Column("number", Text),
    Column("create_time", Text),
    Column("notices", Json, info=shape([{"kind": str, "at": str, "note": str}])),
    Column("awaited", Json, info=shape(_AWAITED)),
    misfit=_misfit_of_invoice,
)

# `declined` makes a capture fail. `prices` holds what recorded states lack: the breakdown of the amount, and each
# item's price, tax and description.
ORDER = TABLES.entity(
    "order",
    Column("id", Text, primary_key=True, info=id_format("{upper:17}")),
    Column("intent", Text),
    Column("status", Text),
    Column("purchase_units", Json, info=shape([_UNIT])),
    Column("payer", Json, info=shape({**_PERSON, "payer_id": str})),
    Column("create_time", Text),
    Column("update_time", Text),
    Column("declined", Flag),
    Column("prices", Json, info=shape({"breakdown": dict, "items": [dict]})),
    Column("experience_context", Json, info=shape({"return_url": str, "cancel_url": str})),
    Column("awaited", Json, info=shape(_AWAITED)),
    misfit=_misfit_of_order,
)

CAPTURE = TABLES.entity(
    "capture",
    Column("id", Text, primary_key=True, info=id_format("{upper:17}")),
    Column("order_id", Text),
    Column("status", Text),
    Column("amount", Json, info=shape(_MONEY)),
    Column("final_capture", Flag),
    Column("create_time", Text),
    Column("update_time", Text),
    parents={"order": "order_id"},
    misfit=_misfit_of_money("amount"),
)

# The link `up` names the refunded capture; `capture_id` repeats it as the parent.
REFUND = TABLES.entity(
    "refund",
    Column("id", Text, primary_key=True, info=id_format("{upper:17}")),
    Column("capture_id", Text),
    Column("status", Text),
    Column("amount", Json, info=shape(_MONEY)),
    Column("note_to_payer", Text),
    Column("invoice_id", Text),
    Column("create_time", Text),
    Column("update_time", Text),
    Column("links", Json, info=shape([{"href": str, "rel": str, "method": str}])),
    parents={"capture": "capture_id"},
    misfit=_misfit_of_money("amount"),
)

TRACKER = TABLES.entity(
    "tracker",
    Column("transaction_id", Text, primary_key=True),
    Column("tracking_number", Text, primary_key=True),
    Column("status", Text),
    Column("carrier", Text),
    Column("last_updated_time", Text),
    parents={"capture": "transaction_id"},
)

DISPUTE = TABLES.entity(
    "dispute",
    Column("dispute_id", Text, primary_key=True, info=id_format("PP-D-{digits:5}")),
    Column("create_time", Text),
    Column("update_time", Text),
    Column("disputed_transactions", Json, info=shape([{"seller_transaction_id": str, "gross_amount": _MONEY}])),
    Column("reason", Text),
    Column("status", Text),
    Column("dispute_state", Text),
    Column("dispute_amount", Json, info=shape(_MONEY)),
    Column("dispute_life_cycle_stage", Text),
    Column("dispute_channel", Text),
    Column("seller_response_due_date", Text),
    Column("dispute_outcome", Json, info=shape({"outcome_code": str, "amount_refunded": _MONEY})),
    Column("note", Text),
    misfit=_misfit_of_money("dispute_amount"),
)

# Payments that no order, refund or invoice of the state explains; `id` is internal.
TRANSACTION = TABLES.entity(
    "transaction",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("transaction_info", Json, info=shape({"transaction_id": str, "transaction_amount": _MONEY})),
)


def _invoice(row: dict[str, object]) -> str:
    items = row.get("items")
    notices = row.get("notices")
    named = [item.get("name") for item in items] if isinstance(items, list) else []
    noted = [notice.get("note") for notice in notices] if isinstance(notices, list) else []
    return "\n".join(str(text) for text in (*named, *noted) if text)


def _order(row: dict[str, object]) -> str:
    units = row.get("purchase_units")
    items = [item for unit in units for item in unit.get("items") or ()] if isinstance(units, list) else []
    return "\n".join(str(item.get("name", "")) for item in items if isinstance(item, dict))


_TIMES = frozenset({"create_time", "update_time"})

MEANING = Meaning(
    automatic={
        "product": _TIMES,
        "plan": _TIMES | {"usage_type"},
        "subscription": _TIMES | {"status_update_time", "awaited"},
        "invoice": frozenset({"create_time", "number", "awaited", "notices.*.at"}),
        "order": _TIMES | {"awaited"},
        "capture": _TIMES | {"final_capture"},
        "refund": _TIMES | {"links"},
        "tracker": frozenset({"last_updated_time"}),
        "dispute": frozenset({"update_time"}),
    },
    outward=frozenset({"refund", "subscription", "tracker"}),
    text={
        "product": lambda row: f"{row.get('name') or ''}\n{row.get('description') or ''}",
        "plan": lambda row: f"{row.get('name') or ''}\n{row.get('description') or ''}",
        "subscription": lambda row: row.get("status_change_note") or "",
        "invoice": _invoice,
        "order": _order,
        "refund": lambda row: row.get("note_to_payer") or "",
        "tracker": lambda row: row.get("tracking_number") or "",
        "dispute": lambda row: f"{row.get('reason') or ''}\n{row.get('note') or ''}",
    },
)
