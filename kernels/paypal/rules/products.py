"""Products of the catalogue, and how they are told."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import BAD_SYNTAX, TOO_LONG, TOO_SHORT, UNKNOWN_ID, refused
from soundstage.kernels.paypal.rules.links import PRODUCTS, Link, link
from soundstage.kernels.paypal.rules.moments import seconds

_CATEGORY = re.compile(r"[A-Z_]+")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S*")
_SUMMARY = ("id", "name", "description", "create_time")
# Shortest and longest text of a field, as catalogs_products_v1.json has them.
_SIZES = {
    "name": (1, 127),
    "description": (1, 256),
    "category": (4, 256),
    "image_url": (1, 2000),
    "home_url": (1, 2000),
}


def product(context: AppContext, product_id: str) -> Object:
    """A product of the merchant's.

    Raises:
        PaypalError: there is none of this id.
    """
    found = context.get("product", product_id)
    if found is None:
        raise refused(UNKNOWN_ID)
    return found


def check_product(fields: Object) -> None:
    """What the catalogue's schema wants of a new product.

    Raises:
        PaypalError: for the first field that does not fit.
    """
    check_sizes(fields, _SIZES)
    if "category" in fields and not _CATEGORY.fullmatch(fields["category"]):
        raise refused(BAD_SYNTAX)
    for name in ("image_url", "home_url"):
        if name in fields and not _ADDRESS.fullmatch(fields[name]):
            raise refused(BAD_SYNTAX)


def check_sizes(fields: Object, sizes: dict[str, tuple[int, int]]) -> None:
    """Whether texts are as long as a schema allows.

    Raises:
        PaypalError: for the first that is too short or too long.
    """
    for name, (shortest, longest) in sizes.items():
        length = len(fields.get(name, "x" * shortest))
        if length < shortest:
            raise refused(TOO_SHORT)
        if length > longest:
            raise refused(TOO_LONG)


def summary(row: Object, links: list[Link]) -> Object:
    """A product as lists and creation tell it."""
    return {**{name: row[name] for name in _SUMMARY if name in row}, "links": links}


def details(context: AppContext, row: Object) -> Object:
    """All of a product. A state may leave out what PayPal always has: type and times."""
    now = seconds(context.now())
    return {"type": "SERVICE", "create_time": now, "update_time": now, **row, "links": own_links(row["id"])}


def own_links(product_id: str) -> list[Link]:
    address = f"{PRODUCTS}/{product_id}"
    return [link(address), link(address, "edit", "PATCH")]
