"""Addresses of PayPal's sandbox and the links of its responses."""

from __future__ import annotations

from typing import TypedDict

API = "https://api.sandbox.paypal.com"
SITE = "https://www.sandbox.paypal.com"

PRODUCTS = f"{API}/v1/catalogs/products"
PLANS = f"{API}/v1/billing/plans"
SUBSCRIPTIONS = f"{API}/v1/billing/subscriptions"
ORDERS = f"{API}/v2/checkout/orders"
CAPTURES = f"{API}/v2/payments/captures"
REFUNDS = f"{API}/v2/payments/refunds"
INVOICES = f"{API}/v2/invoicing/invoices"
TRACKERS = f"{API}/v1/shipping/trackers"
DISPUTES = f"{API}/v1/customer/disputes"
TRANSACTIONS = f"{API}/v1/reporting/transactions"


class Link(TypedDict):
    """A HATEOAS link of a PayPal response."""

    href: str
    rel: str
    method: str


def link(href: str, rel: str = "self", method: str = "GET") -> Link:
    """Return a link to an address."""
    return {"href": href, "rel": rel, "method": method}


def page_link(listing: str, page: float, page_size: float) -> Link:
    """Return the link to a page of a list."""
    return link(f"{listing}?page_size={page_size}&page={page}")
