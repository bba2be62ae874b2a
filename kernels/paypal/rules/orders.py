"""Orders: the toolkit's request for a cart, PayPal's validation, and the way of an order from CREATED to COMPLETED.

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
    issue_error,
)
from soundstage.kernels.paypal.rules.links import ORDERS, SITE, Link, link
from soundstage.kernels.paypal.rules.money import Money, amount, check_precision, check_syntax, rounded_text, total
from soundstage.kernels.paypal.rules.payers import has_acted

_OWN = ("awaited", "declined", "prices", "experience_context")  # internal fields, or shown within `purchase_units`
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
    """Return the body that the toolkit sends for a cart, with sums in binary fractions as JavaScript adds them."""
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
            "unit_amount": _amount_text(currency, number_text(item["itemCost"])),
            "quantity": number_text(item["quantity"]),
            "tax": _amount_text(currency, rounded_text(float(item["itemCost"]) * item["taxPercent"] / 100)),
        }
        for item in cart
    ]
    whole = {
        **_amount_text(currency, rounded_text(subtotal + tax + shipping - discount)),
        "breakdown": {name: _amount_text(currency, rounded_text(value)) for name, value in sums.items()},
    }
    address = arguments.get("shippingAddress")
    return {"amount": whole, "items": items, **({} if address is None else {"shipping": {"address": address}})}


def check_schema(unit: Object) -> None:
    """Validate a purchase unit against PayPal's schema.

    Raises:
        PaypalError: 400, for the first invalid field.
    """
    for item in unit["items"]:
        if not 1 <= len(item["name"]) <= _LONGEST_NAME or len(item.get("description", "")) > _LONGEST_DESCRIPTION:
            raise issue_error(WRONG_LENGTH)
        if not _QUANTITY.fullmatch(item["quantity"]):
            raise issue_error(BAD_SYNTAX)
        check_syntax(item["unit_amount"]["value"])
        check_syntax(item["tax"]["value"])
    for part in (unit["amount"], *unit["amount"]["breakdown"].values()):
        check_syntax(part["value"])
    if "shipping" in unit:
        country = unit["shipping"]["address"].get("country_code")
        if country is None:
            raise issue_error(NO_COUNTRY)
        if not _COUNTRY.fullmatch(country):
            raise issue_error(BAD_SYNTAX)


def check_business(unit: Object) -> None:
    """Check that a purchase unit adds up and can be delivered.

    Raises:
        PaypalError: 422, for the first violated rule.
    """
    currency, breakdown = unit["amount"]["currency_code"], unit["amount"]["breakdown"]
    if "shipping" in unit:
        address = unit["shipping"]["address"]
        if not address.get("admin_area_2"):
            raise issue_error(NO_CITY)
        if not address.get("postal_code"):
            raise issue_error(NO_POSTAL_CODE)
    prices = [Decimal(item["unit_amount"]["value"]) for item in unit["items"]]
    taxes = [Decimal(item["tax"]["value"]) for item in unit["items"]]
    parts = {name: Decimal(breakdown[name]["value"]) for name in _BREAKDOWN}
    for value in (*prices, *taxes, *parts.values()):
        if value < 0:
            raise issue_error(NEGATIVE)
        check_precision(currency, value)
    pieces = [int(item["quantity"]) for item in unit["items"]]
    if parts["item_total"] != total(price * n for price, n in zip(prices, pieces, strict=True)):
        raise issue_error(ITEM_TOTAL)
    if parts["tax_total"] != total(tax * n for tax, n in zip(taxes, pieces, strict=True)):
        raise issue_error(TAX_TOTAL)
    whole = Decimal(unit["amount"]["value"])
    if whole <= 0:
        raise issue_error(NOT_POSITIVE)
    check_precision(currency, whole)
    if whole != parts["item_total"] + parts["tax_total"] + parts["shipping"] - parts["discount"]:
        raise issue_error(AMOUNT)


def to_stored(unit: Object) -> Object:
    """Return a purchase unit as the two columns of an order, `purchase_units` and `prices`."""
    currency = unit["amount"]["currency_code"]
    plain: Object = {
        "reference_id": "default",
        "amount": _padded_amount(unit["amount"]),
        "items": [{"name": item["name"], "quantity": item["quantity"]} for item in unit["items"]],
    }
    if not unit["items"]:
        del plain["items"]
    if "shipping" in unit:
        plain["shipping"] = unit["shipping"]
    items = [
        {
            "unit_amount": _padded_amount(item["unit_amount"]),
            "tax": _padded_amount(item["tax"]),
            **({"description": item["description"]} if "description" in item else {}),
        }
        for item in unit["items"]
    ]
    breakdown = {name: amount(currency, Decimal(unit["amount"]["breakdown"][name]["value"])) for name in _BREAKDOWN}
    return {"purchase_units": [plain], "prices": {"breakdown": breakdown, "items": items}}


def order(context: AppContext, order_id: str) -> Object:
    """Return an order as it is now.

    Raises:
        PaypalError: No order has this id.
    """
    row = context.get("order", order_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    return as_it_is(context, row)


def as_it_is(context: AppContext, row: Object) -> Object:
    """Apply to a stored order what has happened since: the payer's approval and the captures."""
    if "purchase_units" in row:
        row = {**row, "purchase_units": _with_captures(context, row)}
    if row.get("status") == "CREATED" and has_acted(context, row):
        awaited = row["awaited"]
        return {**row, "status": "APPROVED", "payer": awaited["payer"], "update_time": awaited["at"]}
    return row


def details(row: Object) -> Object:
    """Return the fields of an order that PayPal shows."""
    units = [dict(unit) for unit in row.get("purchase_units", [])]
    if units and "prices" in row:
        prices, first = row["prices"], units[0]
        first["amount"] = {**first["amount"], "breakdown": prices["breakdown"]}
        if "items" in first:
            first["items"] = [{**item, **more} for item, more in zip(first["items"], prices["items"], strict=False)]
    fields = {name: value for name, value in row.items() if name not in _OWN}
    if "purchase_units" in row:
        fields["purchase_units"] = units
    return {**fields, "links": own_links(row["id"], row.get("status", "CREATED"))}


def own_links(order_id: str, status: str) -> list[Link]:
    """Return the links of an order, which depend on its status."""
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


def shown_capture(row: Object) -> Object:
    """Return the fields of a capture that its order shows."""
    return {name: row[name] for name in _CAPTURE if name in row}


def _with_captures(context: AppContext, row: Object) -> list[Object]:
    """Return the purchase units with the current state of their captures.

    A state may hold captures in the order, in rows, or in both. Captures in rows alone are assigned to one unit each.
    """
    rows = context.list("capture", {"order_id": row["id"]})
    units = []
    for unit in row["purchase_units"]:
        captures = unit.get("payments", {}).get("captures", [])
        if captures:
            now = [
                {**stored_capture, **shown_capture(context.get("capture", stored_capture["id"]) or {})}
                for stored_capture in captures
            ]
        else:
            now = [shown_capture(capture) for capture in rows[:1]]
            rows = rows[1:]
        units.append({**unit, "payments": {**unit.get("payments", {}), "captures": now}} if now else unit)
    return units


def _amount_text(currency: str, value: str) -> Money:
    return {"currency_code": currency, "value": value}


def _padded_amount(money: Any) -> Money:
    """Return an amount with the decimals of its currency: PayPal accepts "13.5" and shows "13.50"."""
    return amount(money["currency_code"], Decimal(money["value"]).quantize(Decimal("0.01"), ROUND_HALF_UP))
