"""Orders: what the toolkit makes of a cart, what PayPal checks of it, and how an order goes from CREATED to COMPLETED.

Sources: `parseOrderDetails` in `typescript/src/shared/payloadUtils.ts` of the toolkit 1.8.0; checkout_orders_v2.json.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import number_text
from soundstage.kernels.paypal.rules.errors import (
    BAD_SYNTAX,
    NEGATIVE,
    NOT_POSITIVE,
    UNKNOWN_ID,
    WRONG_LENGTH,
    Issue,
    refused,
)
from soundstage.kernels.paypal.rules.links import ORDERS, SITE, Link, link
from soundstage.kernels.paypal.rules.money import Money, amount, check_precision, check_syntax, rounded_text, total
from soundstage.kernels.paypal.rules.payers import has_acted

_OWN = ("awaited", "declined", "prices", "experience_context")  # ours, or told within `purchase_units`
_QUANTITY = re.compile(r"[1-9][0-9]{0,9}")
_COUNTRY = re.compile(r"[A-Z]{2}|C2")
_LONGEST_NAME = 127
_LONGEST_DESCRIPTION = 2048
_CAPTURE = ("id", "status", "amount", "final_capture", "create_time", "update_time")
_BREAKDOWN = ("item_total", "shipping", "tax_total", "discount")

NO_COUNTRY = Issue(400, "MISSING_REQUIRED_PARAMETER", "A required parameter is missing.")
NO_CITY = Issue(422, "CITY_REQUIRED", "The specified country requires a city (address.admin_area_2).")
NO_POSTAL_CODE = Issue(422, "POSTAL_CODE_REQUIRED", "The specified country requires a postal code.")
TAX_TOTAL = Issue(
    422, "TAX_TOTAL_MISMATCH", "Should equal sum of (tax * quantity) across all items for a given purchase_unit."
)
ITEM_TOTAL = Issue(
    422,
    "ITEM_TOTAL_MISMATCH",
    "Should equal sum of (unit_amount * quantity) across all items for a given purchase_unit.",
)
AMOUNT = Issue(
    422,
    "AMOUNT_MISMATCH",
    "Should equal item_total + tax_total + shipping + handling + insurance - shipping_discount - discount.",
)
NOT_APPROVED = Issue(
    422,
    "ORDER_NOT_APPROVED",
    "Payer has not yet approved the Order for payment. Please redirect the payer to the 'rel':'approve' url returned as "
    "part of the HATEOAS links within the Create Order call or provide a valid payment_source in the request.",
    "conflict",
)
CAPTURED = Issue(
    422,
    "ORDER_ALREADY_CAPTURED",
    "Order already captured.If 'intent=CAPTURE' only one capture per order is allowed.",
    "conflict",
)
DECLINED = Issue(
    422,
    "INSTRUMENT_DECLINED",
    "The instrument presented  was either declined by the processor or bank, or it can't be used for this payment.",
    "conflict",
)


def request_of(arguments: Object) -> Object:
    """The body that the toolkit sends for a cart, with its sums in binary fractions, as JavaScript adds them."""
    currency, cart = arguments["currencyCode"], arguments["items"]
    shipping, discount = arguments.get("shippingCost") or 0, arguments.get("discount") or 0
    subtotal = tax = 0.0
    for item in cart:
        subtotal += float(item["itemCost"]) * item["quantity"]
        tax += float(item["itemCost"]) * item["taxPercent"] * item["quantity"] / 100
    sums = {"item_total": subtotal, "shipping": shipping, "tax_total": tax, "discount": discount}
    items = [
        {
            "name": item["name"],
            **({"description": item["description"]} if "description" in item else {}),
            "unit_amount": _said(currency, number_text(item["itemCost"])),
            "quantity": number_text(item["quantity"]),
            "tax": _said(currency, rounded_text(float(item["itemCost"]) * item["taxPercent"] / 100)),
        }
        for item in cart
    ]
    whole = {
        **_said(currency, rounded_text(subtotal + tax + shipping - discount)),
        "breakdown": {name: _said(currency, rounded_text(value)) for name, value in sums.items()},
    }
    address = arguments.get("shippingAddress")
    return {"amount": whole, "items": items, **({} if address is None else {"shipping": {"address": address}})}


def check_schema(unit: Object) -> None:
    """What the schema wants of a purchase unit.

    Raises:
        PaypalError: 400, for the first field that does not fit.
    """
    for item in unit["items"]:
        if not 1 <= len(item["name"]) <= _LONGEST_NAME or len(item.get("description", "")) > _LONGEST_DESCRIPTION:
            raise refused(WRONG_LENGTH)
        if not _QUANTITY.fullmatch(item["quantity"]):
            raise refused(BAD_SYNTAX)
        check_syntax(item["unit_amount"]["value"])
        check_syntax(item["tax"]["value"])
    for part in (unit["amount"], *unit["amount"]["breakdown"].values()):
        check_syntax(part["value"])
    if "shipping" in unit:
        country = unit["shipping"]["address"].get("country_code")
        if country is None:
            raise refused(NO_COUNTRY)
        if not _COUNTRY.fullmatch(country):
            raise refused(BAD_SYNTAX)


def check_business(unit: Object) -> None:
    """Whether a purchase unit adds up and can be delivered.

    Raises:
        PaypalError: 422, for the first rule that is broken.
    """
    currency, breakdown = unit["amount"]["currency_code"], unit["amount"]["breakdown"]
    if "shipping" in unit:
        address = unit["shipping"]["address"]
        if not address.get("admin_area_2"):
            raise refused(NO_CITY)
        if not address.get("postal_code"):
            raise refused(NO_POSTAL_CODE)
    prices = [Decimal(item["unit_amount"]["value"]) for item in unit["items"]]
    taxes = [Decimal(item["tax"]["value"]) for item in unit["items"]]
    parts = {name: Decimal(breakdown[name]["value"]) for name in _BREAKDOWN}
    for value in (*prices, *taxes, *parts.values()):
        if value < 0:
            raise refused(NEGATIVE)
        check_precision(currency, value)
    pieces = [int(item["quantity"]) for item in unit["items"]]
    if parts["item_total"] != total(price * n for price, n in zip(prices, pieces, strict=True)):
        raise refused(ITEM_TOTAL)
    if parts["tax_total"] != total(tax * n for tax, n in zip(taxes, pieces, strict=True)):
        raise refused(TAX_TOTAL)
    whole = Decimal(unit["amount"]["value"])
    if whole <= 0:
        raise refused(NOT_POSITIVE)
    check_precision(currency, whole)
    if whole != parts["item_total"] + parts["tax_total"] + parts["shipping"] - parts["discount"]:
        raise refused(AMOUNT)


def stored(unit: Object) -> Object:
    """A purchase unit in the two columns that an order has for it; see the entity."""
    currency = unit["amount"]["currency_code"]
    plain: Object = {
        "reference_id": "default",
        "amount": _kept(unit["amount"]),
        "items": [{"name": item["name"], "quantity": item["quantity"]} for item in unit["items"]],
    }
    if not unit["items"]:
        del plain["items"]
    if "shipping" in unit:
        plain["shipping"] = unit["shipping"]
    items = [
        {
            "unit_amount": _kept(item["unit_amount"]),
            "tax": _kept(item["tax"]),
            **({"description": item["description"]} if "description" in item else {}),
        }
        for item in unit["items"]
    ]
    breakdown = {name: amount(currency, Decimal(unit["amount"]["breakdown"][name]["value"])) for name in _BREAKDOWN}
    return {"purchase_units": [plain], "prices": {"breakdown": breakdown, "items": items}}


def order(context: AppContext, order_id: str) -> Object:
    """An order as it is now.

    Raises:
        PaypalError: there is none of this id.
    """
    row = context.get("order", order_id)
    if row is None:
        raise refused(UNKNOWN_ID)
    return as_it_is(context, row)


def as_it_is(context: AppContext, row: Object) -> Object:
    """A stored order with what has happened meanwhile: APPROVED since its payer approved, and what was captured."""
    if "purchase_units" in row:
        row = {**row, "purchase_units": _with_captures(context, row)}
    if row.get("status") == "CREATED" and has_acted(context, row):
        awaited = row["awaited"]
        return {**row, "status": "APPROVED", "payer": awaited["payer"], "update_time": awaited["at"]}
    return row


def details(row: Object) -> Object:
    """An order as PayPal tells it."""
    units = [dict(unit) for unit in row.get("purchase_units", [])]
    if units and "prices" in row:
        prices, first = row["prices"], units[0]
        first["amount"] = {**first["amount"], "breakdown": prices["breakdown"]}
        if "items" in first:
            first["items"] = [{**item, **more} for item, more in zip(first["items"], prices["items"], strict=False)]
    told = {name: value for name, value in row.items() if name not in _OWN}
    if "purchase_units" in row:
        told["purchase_units"] = units
    return {**told, "links": own_links(row["id"], row.get("status", "CREATED"))}


def own_links(order_id: str, status: str) -> list[Link]:
    """What can be done with an order next."""
    address = f"{ORDERS}/{order_id}"
    approve = [link(f"{SITE}/checkoutnow?token={order_id}", "approve")]
    more = [link(address, "update", "PATCH"), link(f"{address}/capture", "capture", "POST")]
    match status:
        case "CREATED":
            return [link(address), *approve, *more]
        case "APPROVED":
            return [link(address), *more]
        case _:
            return [link(address)]


def told_capture(row: Object) -> Object:
    """A captured payment as its order tells it."""
    return {name: row[name] for name in _CAPTURE if name in row}


def _with_captures(context: AppContext, row: Object) -> list[Object]:
    """The purchase units with their captures as they are now. A state may tell of captures in the order, in rows, or in both; of
    what rows alone tell, each unit gets one.
    """
    rows = context.list("capture", {"order_id": row["id"]})
    units = []
    for unit in row["purchase_units"]:
        captures = unit.get("payments", {}).get("captures", [])
        if captures:
            now = [{**told, **told_capture(context.get("capture", told["id"]) or {})} for told in captures]
        else:
            now = [told_capture(capture) for capture in rows[:1]]
            rows = rows[1:]
        units.append({**unit, "payments": {**unit.get("payments", {}), "captures": now}} if now else unit)
    return units


def _said(currency: str, value: str) -> Money:
    return {"currency_code": currency, "value": value}


def _kept(money: Any) -> Money:
    """An amount with the decimals of its currency: PayPal takes "13.5", and tells "13.50"."""
    return amount(money["currency_code"], Decimal(money["value"]).quantize(Decimal("0.01"), ROUND_HALF_UP))
