"""Products of the catalogue: validation and representation."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import BAD_SYNTAX, TOO_LONG, TOO_SHORT, UNKNOWN_ID, issue_error
from soundstage.kernels.paypal.rules.links import PRODUCTS, Link, link
from soundstage.kernels.paypal.rules.times import format_seconds

_CATEGORY = re.compile(r"[A-Z_]+")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S*")
_SUMMARY = ("id", "name", "description", "create_time")
# Shortest and longest text of each field in catalogs_products_v1.json.
_SIZES = {
    "name": (1, 127),
    "description": (1, 256),
    "category": (4, 256),
    "image_url": (1, 2000),
    "home_url": (1, 2000),
}


def product(context: AppContext, product_id: str) -> Object:
    """Return a product of the merchant.

    Raises:
        PaypalError: No product has this id.
    """
    row = context.get("product", product_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    return row


def check_product(fields: Object) -> None:
    """Validate a new product against the schema of the catalogue.

    Raises:
        PaypalError: For the first invalid field.
    """
    check_sizes(fields, _SIZES)
    if "category" in fields and not _CATEGORY.fullmatch(fields["category"]):
        raise issue_error(BAD_SYNTAX)
    for name in ("image_url", "home_url"):
        if name in fields and not _ADDRESS.fullmatch(fields[name]):
            raise issue_error(BAD_SYNTAX)


def check_sizes(fields: Object, sizes: dict[str, tuple[int, int]]) -> None:
    """Check that texts have the lengths that a schema allows.

    Raises:
        PaypalError: For the first text that is too short or too long.
    """
    for name, (shortest, longest) in sizes.items():
        length = len(fields.get(name, "x" * shortest))
        if length < shortest:
            raise issue_error(TOO_SHORT)
        if length > longest:
            raise issue_error(TOO_LONG)


def summary(row: Object, links: list[Link]) -> Object:
    """Return the fields of a product that lists and new products contain."""
    return {**{name: row[name] for name in _SUMMARY if name in row}, "links": links}


def details(context: AppContext, row: Object) -> Object:
    """Return all fields of a product, with defaults for the type and times that PayPal always has."""
    now = format_seconds(context.now())
    return {"type": "SERVICE", "create_time": now, "update_time": now, **row, "links": own_links(row["id"])}


def own_links(product_id: str) -> list[Link]:
    """Return the links of a product."""
    address = f"{PRODUCTS}/{product_id}"
    return [link(address), link(address, "edit", "PATCH")]
