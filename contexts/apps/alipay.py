"""Alipay (支付宝) for one merchant: links to pay by, trades that come of them, refunds; with the MCP server's field names."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("alipay")

# A payment is a link until its payer opens it; `tradeStatus` then is a trade's: WAIT_BUYER_PAY, TRADE_SUCCESS, TRADE_CLOSED or
# TRADE_FINISHED. One without `tradeStatus` is what its payer has made of it by now, reckoned from `createdAt` (milliseconds).
PAYMENT = TABLES.entity(
    "payment",
    Column("outTradeNo", Text, primary_key=True),
    Column("totalAmount", REAL),
    Column("orderTitle", Text),
    Column("tradeNo", Text),
    Column("tradeStatus", Text),
    Column("product", Text),
    Column("createdAt", Integer),
)

REFUND = TABLES.entity(
    "refund",
    Column("outTradeNo", Text, primary_key=True),
    Column("outRequestNo", Text, primary_key=True),
    Column("refundAmount", REAL),
    Column("refundReason", Text),
    Column("refundStatus", Text),
    parents={"payment": "outTradeNo"},
)

# What the payer of an order does, `*` for every order that is not named: seconds after the link was made until he opens it and
# until he pays. What is left out he never does.
PAYER = TABLES.entity(
    "payer", Column("outTradeNo", Text, primary_key=True), Column("opensAfter", Integer), Column("paysAfter", Integer)
)

MEANING = Meaning(
    automatic={"payment": frozenset({"createdAt", "product", "tradeNo"}), "refund": frozenset({"refundStatus"})},
    outward=frozenset({"refund"}),
    text={
        "payment": lambda row: row.get("orderTitle") or row["outTradeNo"],
        "refund": lambda row: row.get("refundReason") or row["outRequestNo"],
        "payer": lambda row: row["outTradeNo"],
    },
)
