"""The market's facts: statements add up, prices are continuous, and no code could be real."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object
from soundstage.contexts.library import realms
from soundstage.kernels.engines.market import MARKETS, Quote, quote
from soundstage.worlds import library as made

_ANNOUNCED = re.compile(r"20\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])")
_CODES = {
    "CN_MAINLAND": r"(SZ|SH|BJ)99\d{4}|SH600999",
    "HK": r"99\d{3}",
    "US": r"ACME|[A-Z]{4}Z",
    "LSE": r"[A-Z]{5}",
    "NSE_INDIA": r"Z[A-Z]{2}\d{2}",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(made.built(tmp_path_factory.mktemp("library")), realms())


def test_there_are_a_hundred_and_twenty_companies_on_five_markets(library: Library) -> None:
    listings = [row for row in library.list("market", "listing") if row.get("company_id")]
    assert len(library.list("market", "company")) == len(listings) == 120
    counts = {market: sum(row["market"] == market for row in listings) for market in MARKETS}
    assert counts == {"CN_MAINLAND": 60, "HK": 15, "US": 25, "LSE": 12, "NSE_INDIA": 8}


def test_no_code_is_in_an_assigned_range(library: Library) -> None:
    for row in library.list("market", "listing"):
        assert re.fullmatch(_CODES[row["market"]], row["symbol"]), row["symbol"]


def test_statements_add_up(library: Library) -> None:
    rows = library.list("market", "statement")
    assert len(rows) == 59 * 12
    for row in rows:
        costs = ("oper_cost", "biz_tax", "sell_exp", "admin_exp", "rd_exp", "fin_exp")
        assets = ("cash", "receivables", "inventories", "fixed_assets", "other_assets")
        assert row["total_cogs"] == sum(row[name] for name in costs)
        assert row["operate_profit"] == row["total_revenue"] - row["total_cogs"]
        assert row["total_profit"] == row["operate_profit"] + row["non_oper"]
        assert row["n_income"] == row["total_profit"] - row["income_tax"]
        assert row["total_assets"] == sum(row[name] for name in assets)
        assert row["total_liabilities"] == row["payables"] + row["borrowings"] + row["other_liabilities"]
        assert row["total_equity"] == row["share_capital"] + row["reserves"]
        assert row["total_assets"] == row["total_liabilities"] + row["total_equity"]
        assert all(row[name] >= 0 for name in (*assets, "payables", "borrowings", "other_liabilities")), row
        assert _ANNOUNCED.fullmatch(row["announced"])
        assert row["announced"] > row["period"]


def test_cumulative_values_grow_from_quarter_to_quarter(library: Library) -> None:
    before: Object = {}
    for row in library.list("market", "statement"):
        if before and before["company_id"] == row["company_id"] and before["period"][:4] == row["period"][:4]:
            assert row["total_revenue"] > before["total_revenue"]
        before = row


def test_the_handwritten_year_is_unchanged(library: Library) -> None:
    row = library.get("market", "statement", ("xinghe-tech", "20251231"))
    assert row is not None
    assert (row["total_revenue"], row["n_income"], row["basic_eps"]) == (2_500_000_000, 580_000_000, 15_000)
    assert not library.list("market", "statement", {"company_id": "yunhai-bank"})


def _quote(library: Library, market: str, symbol: str, now: datetime) -> Quote:
    listing = library.get("market", "listing", (market, symbol))
    assert listing is not None
    return quote(library, listing, now)


@pytest.mark.parametrize("market", MARKETS)
def test_each_close_is_the_previous_close_of_the_next_day(library: Library, market: str) -> None:
    listing = library.list("market", "listing", {"market": market})[0]
    night = datetime(2026, 9, 1, 23, 30, tzinfo=UTC)
    seen: list[Quote] = []
    for _ in range(120):
        night += timedelta(days=1)
        day_quote = quote(library, listing, night)
        if not seen or seen[-1].day != day_quote.day:
            seen.append(day_quote)
    assert all(later.previous == earlier.last for earlier, later in pairwise(seen))
    assert all(
        day_quote.low
        <= min(day_quote.last, day_quote.opened)
        <= max(day_quote.last, day_quote.opened)
        <= day_quote.high
        for day_quote in seen
    )
    assert all(abs(day_quote.change) < day_quote.previous * 4 // 100 for day_quote in seen)
    assert all(date.fromisoformat(day_quote.day).weekday() < 5 for day_quote in seen)
    closed = {row["day"] for row in library.list("market", "holiday", {"market": market})}
    assert not closed & {day_quote.day for day_quote in seen}


def test_a_price_does_not_change_while_the_market_is_closed(library: Library) -> None:
    saturday = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
    assert _quote(library, "US", "ACME", saturday) == _quote(library, "US", "ACME", saturday + timedelta(hours=40))


def test_a_handwritten_price_is_the_close_of_its_day(library: Library) -> None:
    acme = _quote(library, "US", "ACME", datetime(2026, 11, 20, 7, 45, tzinfo=UTC))
    assert (acme.last, acme.previous, acme.day) == (2_501_000, 2_469_000, "2026-11-19")
    bank = _quote(library, "CN_MAINLAND", "SH600999", datetime(2026, 11, 20, 7, 45, tzinfo=UTC))
    assert (bank.last, bank.previous, bank.over) == (457_800, 451_800, True)


def test_two_builds_have_the_same_bytes(library: Library, tmp_path: Path) -> None:
    again = Library(made.built(tmp_path), realms())
    assert again.digest == library.digest
