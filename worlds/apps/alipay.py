"""Alipay in a world: the merchant's payments and refunds, and the behaviour of payers."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

ROWS = {
    "payment": Rows(
        columns={
            "orderTitle": fill.of("title"),
            "createdAt": fill.moment("at", "ms", as_text=False),
        }
    ),
    "refund": Rows(columns={"outTradeNo": fill.key("payment")}),
    "payer": Rows(),
}
