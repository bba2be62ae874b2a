"""Subscriptions and their status: APPROVAL_PENDING, ACTIVE, SUSPENDED, CANCELLED.

A subscription is active once its subscriber agrees; CANCELLED is final. Source: billing_subscriptions_v1.json.
"""

from __future__ import annotations

import re
from datetime import MAXYEAR, datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import UNKNOWN_ID, Issue, issue_error
from soundstage.kernels.paypal.rules.links import SUBSCRIPTIONS, Link, link
from soundstage.kernels.paypal.rules.money import amount, value_of
from soundstage.kernels.paypal.rules.payers import has_acted
from soundstage.kernels.paypal.rules.times import add_duration, format_seconds, parse_time

_OWN = ("awaited", "application_context")  # internal fields, which PayPal does not show
_PLAN = ("product_id", "name", "description", "billing_cycles", "payment_preferences", "taxes", "quantity_supported")
_MONTHS_A_YEAR = 12
_QUANTITY = re.compile(r"[0-9]{1,9}")

PLAN_INACTIVE = Issue(
    422,
    "PLAN_STATUS_INVALID",
    "Invalid plan status for subscription creation; plan status should be active.",
    "conflict",
)
NO_QUANTITY = Issue(
    422,
    "SUBSCRIPTION_CANNOT_HAVE_QUANTITY",
    "Subscription can't have quantity as the plan does not support quantity.",
)
NOT_CANCELLABLE = Issue(
    422,
    "SUBSCRIPTION_STATUS_INVALID",
    "Invalid subscription status for cancel action; subscription status should be active or suspended.",
    "conflict",
)


def subscription(context: AppContext, subscription_id: str) -> Object:
    """Return a subscription as it is now.

    Raises:
        PaypalError: No subscription has this id.
    """
    row = context.get("subscription", subscription_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    return as_it_is(context, row)


def as_it_is(context: AppContext, row: Object) -> Object:
    """Apply the subscriber's approval to a stored subscription if it has happened since."""
    if row.get("status") == "APPROVAL_PENDING" and has_acted(context, row):
        return {**row, **_activated(context, row)}
    return row


def details(context: AppContext, row: Object, *, with_plan: bool) -> Object:
    """Return the fields of a subscription that PayPal shows.

    `with_plan` adds the plan, as `fields=plan` does.
    """
    fields = {name: value for name, value in row.items() if name not in _OWN}
    if with_plan and (plan := context.get("plan", row.get("plan_id"))) is not None:
        fields["plan"] = {name: plan[name] for name in _PLAN if name in plan}
    return {**fields, "links": own_links(row["id"])}


def own_links(subscription_id: str) -> list[Link]:
    """Return the links of a subscription."""
    address = f"{SUBSCRIPTIONS}/{subscription_id}"
    return [link(f"{address}/cancel", "cancel", "POST"), link(address, "edit", "PATCH"), link(address)]


def _activated(context: AppContext, row: Object) -> Object:
    """Return the changes of an approval: the first cycle begins and is paid, with the setup fee and the shipping."""
    at = row["awaited"]["at"]
    plan = context.get("plan", row.get("plan_id")) or {}
    cycles = sorted(plan.get("billing_cycles", []), key=lambda cycle: cycle["sequence"])
    billing: Object = {"outstanding_balance": amount("USD", value_of(None)), "failed_payments_count": 0}
    if cycles:
        price = value_of(cycles[0]["pricing_scheme"].get("fixed_price")) * _pieces(row.get("quantity", "1"))
        fee = value_of(plan.get("payment_preferences", {}).get("setup_fee"))
        paid = price + fee + value_of(row.get("shipping_amount"))
        billing["last_payment"] = {"amount": amount("USD", paid), "time": at}
        start = parse_time(at)
        assert start is not None
        if (following := _next(start, cycles[0]["frequency"])) is not None:
            billing["next_billing_time"] = format_seconds(following)
    return {
        "status": "ACTIVE",
        "status_update_time": at,
        "start_time": at,
        "subscriber": row["awaited"]["payer"] | row.get("subscriber", {}),
        "billing_info": billing,
    }


def _pieces(quantity: str) -> int:
    return int(quantity) if _QUANTITY.fullmatch(quantity) else 1


def _next(start: datetime, frequency: Object) -> datetime | None:
    """Return when the second cycle begins, at the latest on the last day of its month."""
    unit, count = frequency["interval_unit"], int(frequency["interval_count"])
    if unit in ("DAY", "WEEK"):
        return add_duration(start, timedelta(days=count * (7 if unit == "WEEK" else 1)))
    months = start.month - 1 + count * (_MONTHS_A_YEAR if unit == "YEAR" else 1)
    year = start.year + months // _MONTHS_A_YEAR
    if year >= MAXYEAR:
        return None
    first = start.replace(year=year, month=months % _MONTHS_A_YEAR + 1, day=1)
    after = (first + timedelta(days=31)).replace(day=1)
    return min(first + timedelta(days=start.day - 1), after - timedelta(days=1))
