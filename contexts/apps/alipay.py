"""Alipay (支付宝) for one merchant: payment links, the resulting trades, and refunds, with the MCP server's field names."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("alipay")

# A payment is a link until its payer opens it; `tradeStatus` is then that of the trade: WAIT_BUYER_PAY, TRADE_SUCCESS,
# TRADE_CLOSED or TRADE_FINISHED. Without `tradeStatus`, the status follows from the payer's behaviour since `createdAt`
# (milliseconds).
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

# The behaviour of an order's payer, `*` for all other orders: seconds from the creation of the link to opening it and to
# paying. A missing value means never.
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
