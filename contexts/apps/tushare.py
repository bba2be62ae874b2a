"""Tushare Pro: listed companies of mainland China and their income statements, with the field names of its data interface."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag

TABLES = AppTables("tushare", library=True)

# `list_date` and `delist_date` are YYYYMMDD. The default fields of the interface are ts_code to act_ent_type.
STOCK = TABLES.entity(
    "stock",
    Column("ts_code", Text, primary_key=True),
    Column("symbol", Text),
    Column("name", Text),
    Column("area", Text),
    Column("industry", Text),
    Column("cnspell", Text),
    Column("market", Text),
    Column("list_date", Text),
    Column("act_name", Text),
    Column("act_ent_type", Text),
    Column("exchange", Text),
    Column("curr_type", Text),
    Column("list_status", Text),
    Column("delist_date", Text),
    backed="""
    SELECT l.ts_code, substr(l.ts_code, 1, 6) AS symbol, c.name, c.area, c.industry, l.spell AS cnspell, l.board AS market,
      l.listed AS list_date, '无' AS act_name, '无' AS act_ent_type, l._seq
    FROM market_listing l JOIN market_company c ON c.id = l.company_id WHERE l.ts_code IS NOT NULL""",
)

# A statement by the end of its period, YYYYMMDD; amounts are for the year to date, in yuan. `ann_date` is the announcement
# date.
INCOME = TABLES.entity(
    "income",
    Column("ts_code", Text, primary_key=True),
    Column("end_date", Text, primary_key=True),
    Column("ann_date", Text),
    Column("f_ann_date", Text),
    Column("report_type", Text),
    Column("comp_type", Text),
    Column("basic_eps", REAL),
    Column("diluted_eps", REAL),
    Column("total_revenue", REAL),
    Column("revenue", REAL),
    Column("total_cogs", REAL),
    Column("oper_cost", REAL),
    Column("sell_exp", REAL),
    Column("admin_exp", REAL),
    Column("fin_exp", REAL),
    Column("operate_profit", REAL),
    Column("total_profit", REAL),
    Column("income_tax", REAL),
    Column("n_income", REAL),
    parents={"stock": "ts_code"},
    backed="""
    SELECT l.ts_code, s.period AS end_date, s.announced AS ann_date, s.announced AS f_ann_date, '1' AS report_type,
      '1' AS comp_type, s.basic_eps / 10000.0 AS basic_eps, s.basic_eps / 10000.0 AS diluted_eps,
      s.total_revenue + 0.0 AS total_revenue, s.total_revenue + 0.0 AS revenue, s.total_cogs + 0.0 AS total_cogs,
      s.oper_cost + 0.0 AS oper_cost, s.sell_exp + 0.0 AS sell_exp, s.admin_exp + 0.0 AS admin_exp, s.fin_exp + 0.0 AS fin_exp,
      s.operate_profit + 0.0 AS operate_profit, s.total_profit + 0.0 AS total_profit, s.income_tax + 0.0 AS income_tax,
      s.n_income + 0.0 AS n_income, s._seq
    FROM market_statement s JOIN market_listing l ON l.company_id = s.company_id WHERE l.ts_code IS NOT NULL""",
)

# The first token is that of the server process; a second one is only in its file. `valid` is Tushare's verdict; by default, any
# token with the right format is valid.
TOKEN = TABLES.entity("token", Column("value", Text, primary_key=True), Column("valid", Flag))

MEANING = Meaning(
    text={
        "stock": lambda row: f"{row['ts_code']} {row.get('name') or ''}".strip(),
        "income": lambda row: f"{row['ts_code']} {row['end_date']}",
        "token": lambda row: row["value"],
    },
)
