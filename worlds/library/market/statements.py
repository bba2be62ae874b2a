"""Twelve quarters of statements for a company, generated from its annual revenue and recorded figures.

A year has its lines (revenue, costs, tax); a quarter has a share of each, and totals are sums of the preceding lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.market.draws import drawn, share

Lines = dict[str, int]

_FIRST, _LAST = "20231231", "20260930"
_ENDS = ("0331", "0630", "0930", "1231")
_COSTS = ("oper_cost", "biz_tax", "sell_exp", "admin_exp", "rd_exp", "fin_exp")
_MILLION = 1_000_000
_RETAINED = 7000
"""The share of the profit that the company retains, in ten-thousandths."""


@dataclass(frozen=True, slots=True)
class Year:
    """A year's lines, the number of shares, and the announcement date if it is recorded."""

    lines: Lines
    shares: int
    eps: int | None = None
    announced: str | None = None


def years(company: str, revenue: int, recorded: Mapping[str, Mapping[str, float]]) -> dict[str, Year]:
    """Return the years 2023 to 2026 of a company with this revenue in yuan in 2025."""
    sold = {"2025": revenue}
    for year, before in (("2024", "2025"), ("2023", "2024")):
        sold[year] = sold[before] * 10_000 // (10_000 + drawn(f"{company} growth {before}", -700, 2200))
    sold["2026"] = share(revenue, 10_000 + drawn(f"{company} growth 2026", -700, 2200))
    made = {year: _lines(company, year, sold[year]) for year in sorted(sold)}
    worth = drawn(f"{company} eps", 2500, 28_000)
    shares = max(_profit(made["2025"])["n_income"] * 10_000 // worth // 100_000 * 100_000, 20 * _MILLION)
    by_year = {year: Year(lines, shares) for year, lines in made.items()}
    for year, lines in recorded.items():
        by_year[year] = _recorded_year(lines)
    if recorded:
        by_year["2026"] = Year(by_year["2026"].lines, by_year["2025"].shares)
    return by_year


def statements(company: str, by_year: Mapping[str, Year]) -> Iterator[Object]:
    """A row for each quarter, the oldest first."""
    equity = share(by_year["2023"].lines["total_revenue"], drawn(f"{company} equity", 5000, 14_000))
    leverage = drawn(f"{company} leverage", 4000, 14_000)
    for year, whole in sorted(by_year.items()):
        before: Lines = {}
        for quarter, end in enumerate(_ENDS):
            lines = _profit(_so_far(company, year, whole.lines, quarter))
            equity += share(lines["n_income"] - before.get("n_income", 0), _RETAINED)
            before = lines
            if not _FIRST <= year + end <= _LAST:
                continue
            eps = lines["n_income"] * 10_000 // whole.shares
            full = quarter == len(_ENDS) - 1
            yield {
                "company_id": company,
                "period": year + end,
                "announced": (full and whole.announced) or _announced(company, year, quarter),
                **lines,
                **_balance(company, equity, leverage, whole.shares),
                "basic_eps": whole.eps if full and whole.eps is not None else (eps + 50) // 100 * 100,
            }


def _lines(company: str, year: str, revenue: int) -> Lines:
    """Return the lines of a company's year; its ratios are individual and differ little from year to year."""

    def part(name: str, least: int, most: int) -> int:
        usual, now = drawn(f"{company} {name}", least, most), drawn(f"{company} {name} {year}", -60, 60)
        return share(revenue, usual + (now if usual > 200 else 0))

    lines = {
        "total_revenue": revenue,
        "oper_cost": part("oper_cost", 4200, 7800),
        "biz_tax": part("biz_tax", 40, 150),
        "sell_exp": part("sell_exp", 150, 700),
        "admin_exp": part("admin_exp", 220, 620),
        "rd_exp": part("rd_exp", 80, 520),
        "fin_exp": part("fin_exp", -60, 190),
        "non_oper": part("non_oper", -40, 60),
    }
    lines["income_tax"] = max(share(_profit({**lines, "income_tax": 0})["total_profit"], 1500), 0)
    return lines


def _recorded_year(lines: Mapping[str, float]) -> Year:
    """Convert a recorded year, in millions."""
    sums = {name: int(lines[name]) * _MILLION for name in lines.keys() - {"eps", "announced"}}
    known = {name: sums[name] for name in ("oper_cost", "sell_exp", "admin_exp", "fin_exp")}
    left = sums["total_cogs"] - sum(known.values())
    tax = sums["total_revenue"] // 200
    made = {"total_revenue": sums["total_revenue"], **known, "biz_tax": tax, "rd_exp": left - tax}
    made["non_oper"] = sums["total_profit"] - (sums["total_revenue"] - sums["total_cogs"])
    made["income_tax"] = sums["total_profit"] - sums["n_income"]
    eps = round(float(lines["eps"]) * 10_000)
    return Year(made, sums["n_income"] * 10_000 // eps, eps, str(lines["announced"]))


def _so_far(company: str, year: str, lines: Lines, quarter: int) -> Lines:
    """Return the cumulative lines of a year at the end of a quarter."""
    if quarter == len(_ENDS) - 1:
        return dict(lines)
    gone = 2500 * (quarter + 1) + drawn(f"{company} season {quarter}", -260, 200)
    return {
        name: share(sum_, gone + drawn(f"{company} {year} {quarter} {name}", -40, 40)) for name, sum_ in lines.items()
    }


def _profit(lines: Lines) -> Lines:
    """The lines with their totals."""
    costs = sum(lines[name] for name in _COSTS)
    operating = lines["total_revenue"] - costs
    before_tax = operating + lines["non_oper"]
    totals = {"total_cogs": costs, "operate_profit": operating, "total_profit": before_tax}
    return {**lines, **totals, "n_income": before_tax - lines.get("income_tax", 0)}


def _balance(company: str, equity: int, leverage: int, shares: int) -> Lines:
    owed = share(equity, leverage)
    assets = equity + owed
    assets_by_name = {name: share(assets, drawn(f"{company} {name}", least, most)) for name, least, most in _ASSETS}
    due = {name: share(owed, drawn(f"{company} {name}", least, most)) for name, least, most in _OWED}
    return {
        **assets_by_name,
        "other_assets": assets - sum(assets_by_name.values()),
        "total_assets": assets,
        **due,
        "other_liabilities": owed - sum(due.values()),
        "total_liabilities": owed,
        "share_capital": shares,
        "reserves": equity - shares,
        "total_equity": equity,
    }


_ASSETS = (("cash", 600, 2500), ("receivables", 500, 2200), ("inventories", 300, 1800), ("fixed_assets", 1500, 3000))
_OWED = (("payables", 2000, 4500), ("borrowings", 1000, 4000))


def _announced(company: str, year: str, quarter: int) -> str:
    """The day, YYYYMMDD: in August and October, and at the end of April, before which comes what the year before was like."""
    if quarter == 0:
        return f"{year}0430"
    month = ("", "08", "10", "04")[quarter]
    return f"{int(year) + (quarter == 3)}{month}{drawn(f'{company} announces {year} {quarter}', 20, 28)}"
