"""Validation of a new invoice, and its total amount.

Source: the errors of `POST /v2/invoicing/invoices` in invoicing_v2.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import merchant
from soundstage.kernels.paypal.rules.errors import BAD_SYNTAX, Issue, issue_error
from soundstage.kernels.paypal.rules.money import CURRENCIES, Money, amount, check_precision, check_syntax, total
from soundstage.kernels.paypal.rules.times import is_day

_QUANTITY = re.compile(r"-?[0-9]+|-?[0-9]*[.][0-9]{1,5}")
_MOST_PIECES = 1_000_000
_CENT = Decimal("0.01")
_WHOLE = 100  # percent


def _length(what: str) -> Issue:
    return Issue(400, "INVALID_STRING_LENGTH", what)


def _longer(what: str) -> Issue:
    return Issue(400, "INVALID_STRING_MAX_LENGTH", what)


GIVEN_NAME = _longer("Given name length should be less than 140 characters.")
SURNAME = _longer("Surname length should be less than 140 characters.")
ITEM_NAME = _longer("Item name length should be less than 200 characters.")
TAX_NAME = _longer("Tax name length should be less than 100.")
EMAIL = _length("Email address length should be between 3 and 254.")
QUANTITY = _length("Item quantity length should be 1 and 14.")
CURRENCY = _length("Currency code length should be 3 characters.")
DATE = Issue(400, "INVALID_PARAMETER_SYNTAX", "Invoice date is invalid.")
STRANGER = Issue(422, "USER_NOT_FOUND", "User is not associated with paypal based on invoicer email.")
BAD_FIELD = Issue(422, "INVALID_PARAMETER_VALUE", "The value of a field is invalid.")


def check_schema(fields: Object) -> None:
    """Validate the fields of a new invoice against PayPal's schema.

    Raises:
        PaypalError: 400, for the first invalid field.
    """
    detail = fields["detail"]
    if "invoice_date" in detail and not is_day(detail["invoice_date"]):
        raise issue_error(DATE)
    for person in _people(fields):
        _at_most(person.get("name", {}).get("given_name"), 140, GIVEN_NAME)
        _at_most(person.get("name", {}).get("surname"), 140, SURNAME)
        if "email_address" in person and not 3 <= len(person["email_address"]) <= 254:
            raise issue_error(EMAIL)
    if any(len(code) != 3 for code in _currencies(fields)):
        raise issue_error(CURRENCY)
    for item in fields.get("items", []):
        _at_most(item["name"], 200, ITEM_NAME)
        _at_most(item.get("tax", {}).get("name"), 100, TAX_NAME)
        if not 1 <= len(item["quantity"]) <= 14:
            raise issue_error(QUANTITY)
        if not _QUANTITY.fullmatch(item["quantity"]) or abs(Decimal(item["quantity"])) > _MOST_PIECES:
            raise issue_error(BAD_SYNTAX)
        check_syntax(item["unit_amount"]["value"])
        if not 0 <= check_syntax(item.get("tax", {}).get("percent", "0")) <= _WHOLE:
            raise issue_error(BAD_SYNTAX)


def check_business(context: AppContext, fields: Object) -> None:
    """Check that the invoicer is the merchant and that the invoice uses one currency, supported by PayPal.

    Raises:
        PaypalError: 422, for the first violated rule.
    """
    address = fields.get("invoicer", {}).get("email_address")
    own = merchant(context).get("primary_email")
    if address is not None and own is not None and address.casefold() != own.casefold():
        raise issue_error(STRANGER)
    codes = set(_currencies(fields))
    if len(codes) > 1 or not codes <= CURRENCIES:
        raise issue_error(BAD_FIELD)
    for item in fields.get("items", []):
        check_precision(item["unit_amount"]["currency_code"], Decimal(item["unit_amount"]["value"]))


def total_of(fields: Object) -> Money:
    """Return the amount due: price times quantity and tax of each item, each rounded to cents."""
    lines = []
    for item in fields.get("items", []):
        line = Decimal(item["unit_amount"]["value"]) * Decimal(item["quantity"])
        tax = line * Decimal(item.get("tax", {}).get("percent", "0")) / _WHOLE
        lines += [line.quantize(_CENT, ROUND_HALF_UP), tax.quantize(_CENT, ROUND_HALF_UP)]
    return amount(fields["detail"]["currency_code"], total(lines))


def _people(fields: Object) -> Iterator[Object]:
    yield fields.get("invoicer", {})
    for recipient in fields.get("primary_recipients", []):
        yield recipient.get("billing_info", {})


def _currencies(fields: Object) -> Iterator[str]:
    yield fields["detail"]["currency_code"]
    for item in fields.get("items", []):
        yield item["unit_amount"]["currency_code"]


def _at_most(text: str | None, longest: int, issue: Issue) -> None:
    if text is not None and len(text) > longest:
        raise issue_error(issue)
