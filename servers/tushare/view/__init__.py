"""The view of Tushare's tables: the companies, and the income statements of the open one."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.servers.view import Query, View

_CHINA = timezone(timedelta(hours=8))
_MOST = 200
_HUNDRED_MILLION = 100_000_000
_COLUMNS = {
    "total_revenue": "营业总收入",
    "total_cogs": "营业总成本",
    "operate_profit": "营业利润",
    "n_income": "净利润",
}


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the tables; the query's `code` is that of the open company."""
    stocks = context.list("stock", limit=_MOST)
    opened = next((x for x in stocks if x["ts_code"] == query.get("code")), stocks[0] if stocks else None)
    rows = (
        [] if opened is None else context.list("income", {"ts_code": opened["ts_code"]}, order="end_date", limit=_MOST)
    )
    tallest = max((abs(row.get("total_revenue") or 0) for row in rows), default=0) or 1
    data: dict[str, Any] = {
        "stocks": stocks,
        "opened": opened,
        "columns": list(_COLUMNS.values()),
        "statements": [_statement(row, tallest) for row in rows],
    }
    return View("stocks.html.jinja", data, _CHINA)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a company or its statements."""
    return {"code": str(value.get("ts_code") or "")} if entity in ("stock", "income") else None


def _statement(row: Object, tallest: float) -> dict[str, Any]:
    sums = [row.get(name) for name in _COLUMNS]
    return {
        "end": row["end_date"],
        "cells": ["-" if value is None else f"{value / _HUNDRED_MILLION:,.2f}" for value in sums],
        "eps": row.get("basic_eps", "-"),
        "part": round(abs(row.get("total_revenue") or 0) / tallest * 100),
    }
