"""The server's table and analysis of income statements.

It computes with pandas: a missing value is NaN, division by zero is infinite, and both are printed. Year-on-year (同比) and
quarter-on-quarter (环比) changes are the same: the latest period relative to the previous one. Source: zhewenzhang/tushare_MCP
ba9c020, `format_income_statement_analysis`, compared with pandas 3.1.
"""

from __future__ import annotations

import math

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.tushare.rules.errors import TushareError

_METRICS = {
    "total_revenue": "营业总收入",
    "revenue": "营业收入",
    "total_cogs": "营业总成本",
    "oper_cost": "营业成本",
    "sell_exp": "销售费用",
    "admin_exp": "管理费用",
    "fin_exp": "财务费用",
    "operate_profit": "营业利润",
    "total_profit": "利润总额",
    "n_income": "净利润",
    "basic_eps": "每股收益",
}
_QUARTERS = {"03": "Q1", "06": "Q2", "09": "Q3", "12": "Q4"}
_HUNDRED_MILLION = 100_000_000
_EXPENSES = ("sell_exp", "admin_exp", "fin_exp")
_WARNING = """
⚠️ 风险提示
--------------------
以上分析基于历史财务数据，仅供参考。投资决策需考虑更多因素，包括但不限于：
• 行业周期与竞争态势
• 公司经营与治理状况
• 宏观经济环境
• 政策法规变化"""


def report(statements: list[Object]) -> str:
    """Return the table of all periods and the analysis of the latest one.

    Raises:
        TushareError: A metric is missing in all statements.
    """
    periods = sorted(statements, key=lambda row: str(row["end_date"]))
    figures = {name: _column(periods, name) for name in _METRICS}
    return "\n".join(_table(periods, figures)) + "\n\n" + "\n".join(_analysis(figures))


def _column(periods: list[Object], name: str) -> list[float]:
    results = [row.get(name) for row in periods]
    if all(value is None for value in results):
        raise TushareError("invalid", f"查询失败：'{name}'")
    return [math.nan if value is None else float(value) for value in results]


def _table(periods: list[Object], figures: dict[str, list[float]]) -> list[str]:
    head = ["项目", *(_period(str(row["end_date"])) for row in periods)]
    lines = [_row(head), "-" * (14 * len(head))]
    for name, column in figures.items():
        shown = [_eps(value) if name == "basic_eps" else _sum(value) for value in column]
        lines.append(_row([_METRICS[name], *shown]))
    return lines


def _row(cells: list[str]) -> str:
    return " | ".join(f"{cell:^12}" for cell in cells)


def _period(end_date: str) -> str:
    """Format a period such as 2025Q4; a date that does not end a quarter yields `nan`."""
    quarter = _QUARTERS.get(end_date[4:6])
    return "nan" if quarter is None else end_date[:4] + quarter


def _sum(value: float) -> str:
    return "-" if math.isnan(value) else f"{value / _HUNDRED_MILLION:.2f}亿"


def _eps(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _analysis(figures: dict[str, list[float]]) -> list[str]:
    last = {name: column[-1] for name, column in figures.items()}
    revenue = last["total_revenue"]
    gross = _share(revenue - last["oper_cost"], revenue)
    lines = ["\n📊 财务分析报告", "=" * 50]
    lines += ["\n一、收入分析", "-" * 20, "1. 营收规模与增长：", f"   • 当期营收：{revenue / _HUNDRED_MILLION:.2f}亿元"]
    lines += _both_changes(figures["total_revenue"])
    lines += ["\n二、盈利能力分析", "-" * 20, "1. 利润规模与增长："]
    lines += [f"   • 当期净利润：{last['n_income'] / _HUNDRED_MILLION:.2f}亿元", *_both_changes(figures["n_income"])]
    lines += ["\n2. 盈利能力指标：", f"   • 毛利率：{gross:.2f}%"]
    lines += [f"   • 营业利润率：{_share(last['operate_profit'], revenue):.2f}%"]
    lines += [f"   • 净利润率：{_share(last['n_income'], revenue):.2f}%"]
    lines += ["\n三、成本费用分析", "-" * 20, "1. 成本费用结构（占营收比）："]
    costs = ("oper_cost", *_EXPENSES)
    lines += [f"   • {_METRICS[name]}率：{_share(last[name], revenue):.2f}%" for name in costs]
    lines += ["\n2. 主要费用同比变动："]
    lines += [f"   • {_METRICS[name]}：{change}" for name in _EXPENSES for change in _change(figures[name])]
    lines += ["\n四、每股指标", "-" * 20, f"• 基本每股收益：{last['basic_eps']:.4f}元"]
    lines += [f"• 同比变动：{change}" for change in _change(figures["basic_eps"])]
    return [*lines, _WARNING]


def _both_changes(column: list[float]) -> list[str]:
    return [f"   • {name}变动：{change}" for name in ("同比", "环比") for change in _change(column)]


def _change(column: list[float]) -> list[str]:
    """Return the change of the latest value in percent, or nothing if there is only one."""
    if len(column) == 1:
        return []
    return [f"{_divided(column[-1] - column[-2], abs(column[-2])) * 100:+.2f}%"]


def _share(part: float, whole: float) -> float:
    return _divided(part, whole) * 100


def _divided(part: float, whole: float) -> float:
    """Divide like numpy."""
    if whole != 0:
        return part / whole
    return math.nan if part == 0 or math.isnan(part) else math.copysign(math.inf, part)
