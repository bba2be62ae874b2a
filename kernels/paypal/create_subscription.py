"""The `create_subscription` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import number_text
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import BAD_SYNTAX, issue_error
from soundstage.kernels.paypal.rules.links import SITE, SUBSCRIPTIONS, link
from soundstage.kernels.paypal.rules.money import check_precision, check_syntax
from soundstage.kernels.paypal.rules.payers import awaited_from
from soundstage.kernels.paypal.rules.plans import plan
from soundstage.kernels.paypal.rules.subscriptions import NO_QUANTITY, PLAN_INACTIVE
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments

_STORED_FIELDS = ("plan_id", "shipping_amount", "subscriber", "application_context")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a subscription that its subscriber still has to approve; return `{status, id, create_time, links}`.

    The link `approve` is the page on which the subscriber agrees.
    """
    authorize(context)
    quantity, shipping = arguments.get("quantity"), arguments.get("shipping_amount")
    value = None if shipping is None else check_syntax(shipping["value"])
    if quantity is not None and (quantity != int(quantity) or quantity < 1):
        raise issue_error(BAD_SYNTAX)
    wanted = plan(context, arguments["plan_id"])
    if wanted.get("status") != "ACTIVE":
        raise issue_error(PLAN_INACTIVE)
    if quantity is not None and not wanted.get("quantity_supported"):
        raise issue_error(NO_QUANTITY)
    if shipping is not None and value is not None:
        check_precision(shipping["currency_code"], value)
    now = format_seconds(context.now())
    awaited = awaited_from(context, arguments.get("subscriber"))
    made = context.create(
        "subscription",
        {
            **{name: arguments[name] for name in _STORED_FIELDS if name in arguments},
            **({} if quantity is None else {"quantity": number_text(quantity)}),
            **({} if awaited is None else {"awaited": awaited}),
            "status": "APPROVAL_PENDING",
            "status_update_time": now,
            "create_time": now,
        },
    )
    address = f"{SUBSCRIPTIONS}/{made['id']}"
    token = context.new_id("ba_token", "BA-{upper:17}")
    approve = link(f"{SITE}/webapps/billing/subscriptions?ba_token={token}", "approve")
    return {
        "status": made["status"],
        "id": made["id"],
        "create_time": now,
        "links": [approve, link(address, "edit", "PATCH"), link(address)],
    }
