"""PayPal's rows from the content of a world: one merchant, its payers, and the payments between them.

Traces have attributes with PayPal's field names; subscriptions and orders also have their `id`, which no tool lists.
`created` is the creation time and `edited` the time of the last change. A `subscription` names its `plan`, a plan its
`product`, a `capture` its order in `paid`; a `refund`, a `tracker` and a `dispute` name their `capture`.
"""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_MADE = fill.moment("at", "iso-z")
_CHANGED = fill.moment("edited", "iso-z", otherwise=_MADE)
_UP = fill.shape(
    href=fill.form("https://api.sandbox.paypal.com/v2/payments/captures/{id}", id=fill.key("capture")),
    rel=fill.always("up"),
    method=fill.always("GET"),
)
_DISPUTED = fill.shape(
    seller_transaction_id=fill.key("capture"),
    transaction_status=fill.always("COMPLETED"),
    gross_amount=fill.of("dispute_amount"),
    buyer=fill.shape(name=fill.of("buyer")),
)
_TIMES = {"create_time": _MADE, "update_time": _CHANGED}

ROWS = {
    "merchant": Rows(columns={"account_number": fill.of("account_number")}),
    "access_token": Rows(),
    "payer": Rows(),
    "product": Rows(columns=_TIMES),
    "plan": Rows(columns={**_TIMES, "product_id": fill.key("product"), "usage_type": fill.always("LICENSED")}),
    "subscription": Rows(
        columns={**_TIMES, "id": fill.of("id"), "plan_id": fill.key("plan"), "status_update_time": _CHANGED}
    ),
    "invoice": Rows(columns={"create_time": _MADE}),
    "order": Rows(columns={**_TIMES, "id": fill.of("id"), "intent": fill.always("CAPTURE")}),
    "capture": Rows(columns={**_TIMES, "order_id": fill.key("paid"), "final_capture": fill.always(True)}),
    "refund": Rows(columns={**_TIMES, "capture_id": fill.key("capture"), "links": fill.several(_UP)}),
    "tracker": Rows(columns={"transaction_id": fill.key("capture"), "last_updated_time": _CHANGED}),
    "dispute": Rows(
        columns={
            "create_time": fill.moment("at", "iso"),
            "update_time": fill.moment("edited", "iso", otherwise=fill.moment("at", "iso")),
            "disputed_transactions": fill.several(_DISPUTED),
        }
    ),
    "transaction": Rows(),
}
