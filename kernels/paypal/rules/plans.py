"""Subscription plans: their billing cycles and their representation. Source: billing_subscriptions_v1.json."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import (
    BAD_SYNTAX,
    BAD_VALUE,
    INTEGER_TOO_LARGE,
    INTEGER_TOO_SMALL,
    MISSING,
    UNKNOWN_ID,
    Issue,
    issue_error,
)
from soundstage.kernels.paypal.rules.links import PLANS
from soundstage.kernels.paypal.rules.money import check_precision, check_syntax, value_of
from soundstage.kernels.paypal.rules.products import check_sizes

_SUMMARY = ("id", "product_id", "name", "status", "description", "usage_type", "create_time")
_SIZES = {"product_id": (6, 50), "name": (1, 127), "description": (1, 127)}
_LONGEST_INTERVAL = {"DAY": 365, "WEEK": 52, "MONTH": 12, "YEAR": 1}
_MOST_TRIALS = 2
_PERCENTAGE = re.compile(r"-?[0-9]+|-?[0-9]*[.][0-9]+")

NO_REGULAR = Issue(422, "MISSING_REGULAR_BILLING_CYCLE", "Plan should have at least one regular billing cycle.")
TWO_REGULAR = Issue(422, "MULTIPLE_REGULAR_BILLING_CYCLES_NOT_SUPPORTED", "Only one regular billing cycle is allowed.")
THREE_TRIALS = Issue(
    422, "MORE_THAN_TWO_TRIAL_BILLING_CYCLE_NOT_SUPPORTED", "Only two trial billing cycles are allowed."
)
FREE_TRIALS = Issue(
    422, "MULTIPLE_FREE_TRIAL_BILLING_CYCLES_NOT_SUPPORTED", "Only one free trial billing cycle is allowed."
)
SEQUENCE = Issue(
    422, "INVALID_BILLING_CYCLE_SEQUENCE", "Billing cycle sequence should start with `1` and be consecutive."
)
LATE_TRIAL = Issue(422, "INVALID_BILLING_CYCLE_SEQUENCE", "Trial Billing cycle should precede regular billing cycle.")
ENDLESS_TRIAL = Issue(
    422, "INVALID_TRIAL_BILLING_TOTAL_CYCLES", "Total cycles for trial billing must be greater than '0'."
)


def plan(context: AppContext, plan_id: str) -> Object:
    """Return a plan of the merchant.

    Raises:
        PaypalError: No plan has this id.
    """
    row = context.get("plan", plan_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    return row


def check_schema(fields: Object) -> None:
    """Validate a new plan against PayPal's schema.

    Raises:
        PaypalError: 400, for the first invalid field.
    """
    check_sizes(fields, _SIZES)
    cycles = fields["billing_cycles"]
    if not cycles:
        raise issue_error(MISSING)
    for cycle in cycles:
        frequency = cycle["frequency"]
        _check_number(frequency["interval_count"], 1, _LONGEST_INTERVAL[frequency["interval_unit"]])
        _check_number(cycle["sequence"], None, 99)
        _check_number(cycle.get("total_cycles", 1), 0, 999)
        price = cycle["pricing_scheme"].get("fixed_price")
        if price is not None:
            check_syntax(price["value"])
        elif cycle["tenure_type"] == "REGULAR":
            raise issue_error(MISSING)
    preferences = fields.get("payment_preferences", {})
    _check_number(preferences.get("payment_failure_threshold", 0), 0, 999)
    fee = preferences.get("setup_fee")
    if fee is not None:
        if "currency_code" not in fee or "value" not in fee:
            raise issue_error(MISSING)
        check_syntax(fee["value"])
    taxes = fields.get("taxes")
    if taxes is not None:
        if "percentage" not in taxes:
            raise issue_error(MISSING)
        if not _PERCENTAGE.fullmatch(taxes["percentage"]):
            raise issue_error(BAD_SYNTAX)


def check_cycles(cycles: list[Object]) -> None:
    """Check the cycles of a plan: trials first, then one regular cycle, numbered from 1.

    Raises:
        PaypalError: 422, for the first violated rule.
    """
    regular = [cycle for cycle in cycles if cycle["tenure_type"] == "REGULAR"]
    trials = [cycle for cycle in cycles if cycle["tenure_type"] == "TRIAL"]
    if not regular:
        raise issue_error(NO_REGULAR)
    if len(regular) > 1:
        raise issue_error(TWO_REGULAR)
    if len(trials) > _MOST_TRIALS:
        raise issue_error(THREE_TRIALS)
    if sorted(cycle["sequence"] for cycle in cycles) != list(range(1, len(cycles) + 1)):
        raise issue_error(SEQUENCE)
    if any(trial["sequence"] > regular[0]["sequence"] for trial in trials):
        raise issue_error(LATE_TRIAL)
    if any(trial.get("total_cycles", 1) == 0 for trial in trials):
        raise issue_error(ENDLESS_TRIAL)
    prices = [cycle["pricing_scheme"].get("fixed_price") for cycle in cycles]
    for price in prices:
        if price is not None:
            check_precision(price["currency_code"], value_of(price))
    if len([trial for trial in trials if not value_of(trial["pricing_scheme"].get("fixed_price"))]) > 1:
        raise issue_error(FREE_TRIALS)


def summary(row: Object) -> Object:
    """Return the fields of a plan that lists and new plans contain."""
    return {**{name: row[name] for name in _SUMMARY if name in row}, "links": own_links(row["id"])}


def own_links(plan_id: str) -> list[dict[str, str]]:
    """Return the links of a plan."""
    return [{"href": f"{PLANS}/{plan_id}", "rel": "self", "method": "GET", "encType": "application/json"}]


def _check_number(value: float, smallest: int | None, largest: int) -> None:
    if value != int(value):
        raise issue_error(BAD_VALUE)
    if smallest is not None and value < smallest:
        raise issue_error(INTEGER_TOO_SMALL)
    if value > largest:
        raise issue_error(INTEGER_TOO_LARGE)
