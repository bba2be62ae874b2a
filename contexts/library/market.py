"""Companies that do not exist, what they are listed as, what they earn. Sums are whole yuan, prices ten-thousandths."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("market")

# `name` is the company's own, `english` and `chinese` where it has another besides.
COMPANY = TABLES.entity(
    "company",
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("english", Text),
    Column("chinese", Text),
    Column("industry", Text, nullable=False),
    Column("area", Text, nullable=False),
)

# `price` is the last close before 2026-11-20 08:00 UTC, on `day`; `previous` is the close before it. Both, and `eps` of the
# last four quarters, are in ten-thousandths of the currency of quotes (pence in London). Only mainland China has `ts_code`,
# `spell` and `board`. A listing without a company is a code with an unknown owner.
LISTING = TABLES.entity(
    "listing",
    Column("market", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("company_id", Text),
    Column("ts_code", Text),
    Column("spell", Text),
    Column("board", Text),
    Column("listed", Text),
    Column("shares", Integer, nullable=False),
    Column("price", Integer, nullable=False),
    Column("previous", Integer, nullable=False),
    Column("day", Text, nullable=False),
    Column("eps", Integer, nullable=False),
    parents={"company": "company_id"},
)

# By the end of its period, YYYYMMDD: a year's so far, except for the balance. total_cogs is the sum of the six costs above it,
# operate_profit is total_revenue without it, assets are liabilities and equity. `basic_eps` is in ten-thousandths of a yuan.
_SUMS = (
    "total_revenue", "oper_cost", "biz_tax", "sell_exp", "admin_exp", "rd_exp", "fin_exp", "total_cogs", "operate_profit",
    "non_oper", "total_profit", "income_tax", "n_income",
    "cash", "receivables", "inventories", "fixed_assets", "other_assets", "total_assets",
    "payables", "borrowings", "other_liabilities", "total_liabilities", "share_capital", "reserves", "total_equity",
)  # fmt: skip
STATEMENT = TABLES.entity(
    "statement",
    Column("company_id", Text, primary_key=True),
    Column("period", Text, primary_key=True),
    Column("announced", Text, nullable=False),
    *(Column(name, Integer, nullable=False) for name in _SUMS),
    Column("basic_eps", Integer, nullable=False),
    parents={"company": "company_id"},
)

# A quote with more figures than the generated ones; `figures` apply once `day` is over.
RECORDED = TABLES.entity(
    "told",
    Column("market", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("day", Text, nullable=False),
    Column("figures", Json, nullable=False, info=shape({...: (str, float)})),
    parents={"listing": ("market", "symbol")},
)

# A weekday on which a market is closed, YYYY-MM-DD.
HOLIDAY = TABLES.entity("holiday", Column("market", Text, primary_key=True), Column("day", Text, primary_key=True))
