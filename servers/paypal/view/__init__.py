"""PayPal as the merchant's staff sees it: transactions, invoices, orders, subscriptions, products and disputes."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import merchant
from soundstage.kernels.paypal.rules.invoices import as_it_is
from soundstage.kernels.paypal.rules.ledger import entries
from soundstage.kernels.paypal.rules.orders import as_it_is as order_as_it_is
from soundstage.kernels.paypal.rules.payments import refunds_of
from soundstage.kernels.paypal.rules.subscriptions import as_it_is as subscription_as_it_is
from soundstage.kernels.paypal.rules.times import parse_time
from soundstage.servers.view import Query, View

_MOST = 200
_Row = dict[str, Any]
"""Values that the template shows for one object."""
_EVENTS: Final = {"T0006": "Order paid", "T0007": "Invoice paid", "T1107": "Refund"}
_STATES: Final = {"S": "completed", "P": "pending", "D": "denied", "V": "reversed"}
_ROOMS: Final = ("activity", "invoices", "orders", "subscriptions", "products", "disputes")
_ROOM_OF: Final = {
    "transaction": "activity",
    "merchant": "activity",
    "invoice": "invoices",
    "order": "orders",
    "capture": "orders",
    "refund": "orders",
    "tracker": "orders",
    "subscription": "subscriptions",
    "plan": "products",
    "product": "products",
    "dispute": "disputes",
}


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render the list that the query parameter `room` selects."""
    room = query.get("room", "")
    room = room if room in _ROOMS else _ROOMS[0]
    makers = {
        "activity": _activity,
        "invoices": _invoices,
        "orders": _orders,
        "subscriptions": _subscriptions,
        "products": _products,
        "disputes": _disputes,
    }
    own = merchant(context)
    return View("account.html.jinja", {"room": room, "rooms": _ROOMS, "merchant": own, "rows": makers[room](context)})


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the list that contains an object."""
    return {"room": _ROOM_OF[entity]} if entity in _ROOM_OF else None


def _activity(context: AppContext) -> list[_Row]:
    rows: list[_Row] = []
    for info in entries(context):
        money = _money(info.get("transaction_amount"))
        at = _parsed_time(info.get("transaction_initiation_date"))
        code, status = str(info.get("transaction_event_code", "")), str(info.get("transaction_status", ""))
        words = {
            "title": info.get("transaction_subject") or _EVENTS.get(code, code),
            "state": _STATES.get(status, status),
        }
        rows.append({"info": info, "at": at, "money": money, "out": money.startswith("-"), **words})
    return sorted(rows, key=lambda row: row["at"].timestamp() if row["at"] else 0.0, reverse=True)[:_MOST]


def _invoices(context: AppContext) -> list[_Row]:
    rows: list[_Row] = []
    for row in reversed(context.list("invoice", limit=_MOST)):
        now = as_it_is(context, row)
        detail = now.get("detail", {})
        infos = [recipient.get("billing_info", {}) for recipient in now.get("primary_recipients", [])]
        rows.append(
            {
                "row": now,
                "number": detail.get("invoice_number") or now.get("number") or now["id"],
                "date": detail.get("invoice_date") or str(now.get("create_time", ""))[:10],
                "to": ", ".join(_name(info) for info in infos),
                "money": _money(now.get("amount")),
                "due": _money(now.get("due_amount")),
                "items": [f"{i.get('quantity', '')} × {i.get('name', '')}" for i in now.get("items", [])],
                "notices": [{**n, "moment": _parsed_time(n.get("at"))} for n in now.get("notices", [])],
            }
        )
    return rows


def _orders(context: AppContext) -> list[_Row]:
    rows: list[_Row] = []
    for row in reversed(context.list("order", limit=_MOST)):
        now = order_as_it_is(context, row)
        units = now.get("purchase_units", [])
        captures = [capture for unit in units for capture in unit.get("payments", {}).get("captures", [])]
        rows.append(
            {
                "row": now,
                "at": _parsed_time(now.get("create_time")),
                "who": _name(now.get("payer", {})),
                "money": ", ".join(_money(unit.get("amount")) for unit in units),
                "items": [f"{i.get('quantity', '')} × {i.get('name', '')}" for u in units for i in u.get("items", [])],
                "captures": [_capture(context, capture) for capture in captures],
            }
        )
    shown = {capture["id"] for row in rows for capture in row["captures"]}
    alone = [c for c in context.list("capture", limit=_MOST) if c["id"] not in shown]
    return rows + [{"row": None, "items": [], "captures": [_capture(context, c)], "money": ""} for c in alone]


def _capture(context: AppContext, capture: Object) -> _Row:
    back = [
        {"id": refund["id"], "note": refund.get("note_to_payer"), "money": _money(refund.get("amount"))}
        for refund in refunds_of(context, capture["id"])
    ]
    parcels = context.list("tracker", {"transaction_id": capture["id"]})
    return {**capture, "money": _money(capture.get("amount")), "refunds": back, "parcels": parcels}


def _subscriptions(context: AppContext) -> list[_Row]:
    rows: list[_Row] = []
    for row in reversed(context.list("subscription", limit=_MOST)):
        now = subscription_as_it_is(context, row)
        plan = context.get("plan", now["plan_id"]) if now.get("plan_id") else None
        rows.append(
            {
                "row": now,
                "who": _name(now.get("subscriber", {})),
                "plan": (plan or {}).get("name") or now.get("plan_id"),
                "next": _parsed_time(now.get("billing_info", {}).get("next_billing_time")),
            }
        )
    return rows


def _products(context: AppContext) -> list[_Row]:
    plans = context.list("plan", limit=_MOST)
    products = context.list("product", limit=_MOST)
    known = {product["id"] for product in products}
    own: list[_Row] = [
        {"row": product, "plans": [_plan(plan) for plan in plans if plan.get("product_id") == product["id"]]}
        for product in products
    ]
    return own + [{"row": None, "plans": [_plan(plan)]} for plan in plans if plan.get("product_id") not in known]


def _plan(plan: Object) -> _Row:
    cycles = sorted(plan.get("billing_cycles", []), key=lambda cycle: cycle["sequence"])
    words = []
    for cycle in cycles:
        unit, count = str(cycle["frequency"]["interval_unit"]).lower(), cycle["frequency"]["interval_count"]
        often = f"a {unit}" if count == 1 else f"every {count} {unit}s"
        trial = "trial: " if cycle["tenure_type"] == "TRIAL" else ""
        words.append(f"{trial}{_money(cycle['pricing_scheme'].get('fixed_price')) or '0.00'} {often}")
    return {**plan, "terms": ", then ".join(words)}


def _disputes(context: AppContext) -> list[_Row]:
    return [
        {"row": row, "at": _parsed_time(row.get("create_time")), "money": _money(row.get("dispute_amount"))}
        for row in reversed(context.list("dispute", limit=_MOST))
    ]


def _name(person: Object) -> str:
    name = person.get("name", {})
    full = " ".join(str(name[part]) for part in ("given_name", "surname") if name.get(part))
    return full or str(person.get("email_address", ""))


def _money(money: Object | None) -> str:
    return f"{money.get('value', '')} {money.get('currency_code', '')}".strip() if money else ""


def _parsed_time(text: object) -> datetime | None:
    return parse_time(str(text)) if text else None
