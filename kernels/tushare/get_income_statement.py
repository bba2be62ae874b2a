"""The `get_income_statement` tool."""

from __future__ import annotations

from datetime import timedelta, timezone

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tushare.rules.analysis import report
from soundstage.kernels.tushare.rules.errors import TushareError
from soundstage.kernels.tushare.rules.tokens import check_accepted, check_configured
from soundstage.kernels.types import Arguments

# Only titles: the report type is not sent to Tushare, which defaults to consolidated reports.
_TYPES = {
    "1": "合并报表",
    "2": "单季合并",
    "3": "调整单季合并表",
    "4": "调整合并报表",
    "5": "调整前合并报表",
    "6": "母公司报表",
    "7": "母公司单季表",
    "8": "母公司调整单季表",
    "9": "母公司调整表",
    "10": "母公司调整前报表",
    "11": "母公司调整前合并报表",
    "12": "母公司调整前报表",
}
_CONSOLIDATED = "1"
_SHANGHAI = timezone(timedelta(hours=8))


def run(context: AppContext, arguments: Arguments) -> str:
    """Show a company's income statements and an analysis of the latest one."""
    check_accepted(check_configured(context), "查询")
    code = arguments["ts_code"]
    stock = context.get("stock", code) or {}
    # Tushare filters by the announcement date (https://tushare.pro/document/2?doc_id=33).
    bounds = {"ann_date >=": arguments["start_date"], "ann_date <=": arguments["end_date"]}
    announced = context.list("income", {"ts_code": code, **{bound: day for bound, day in bounds.items() if day}})
    statements = [row for row in announced if row.get("report_type", _CONSOLIDATED) == _CONSOLIDATED]
    if context.source("income") != "own":
        today = context.now().astimezone(_SHANGHAI).strftime("%Y%m%d")
        statements = [row for row in statements if row.get("ann_date", "") <= today]
    if not statements:
        raise TushareError("not_found", "未找到符合条件的利润表数据")
    kind = _TYPES.get(arguments["report_type"], "未知类型")
    name = stock.get("name", "nan") if stock else code
    return f"我查询到了 {name}（{code}）的{kind}利润数据，如下呈现：\n\n{report(statements)}"
