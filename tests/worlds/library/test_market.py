"""The market's facts: statements add up, prices hang together, and nothing stands where something real could."""

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


def test_no_code_is_in_a_range_that_an_exchange_gives(library: Library) -> None:
    for row in library.list("market", "listing"):
        assert re.fullmatch(_CODES[row["market"]], row["symbol"]), row["symbol"]


def test_statements_add_up(library: Library) -> None:
    rows = library.list("market", "statement")
    assert len(rows) == 59 * 12
    for row in rows:
        costs = ("oper_cost", "biz_tax", "sell_exp", "admin_exp", "rd_exp", "fin_exp")
        held = ("cash", "receivables", "inventories", "fixed_assets", "other_assets")
        assert row["total_cogs"] == sum(row[name] for name in costs)
        assert row["operate_profit"] == row["total_revenue"] - row["total_cogs"]
        assert row["total_profit"] == row["operate_profit"] + row["non_oper"]
        assert row["n_income"] == row["total_profit"] - row["income_tax"]
        assert row["total_assets"] == sum(row[name] for name in held)
        assert row["total_liabilities"] == row["payables"] + row["borrowings"] + row["other_liabilities"]
        assert row["total_equity"] == row["share_capital"] + row["reserves"]
        assert row["total_assets"] == row["total_liabilities"] + row["total_equity"]
        assert all(row[name] >= 0 for name in (*held, "payables", "borrowings", "other_liabilities")), row
        assert _ANNOUNCED.fullmatch(row["announced"])
        assert row["announced"] > row["period"]


def test_a_years_sums_grow_from_quarter_to_quarter(library: Library) -> None:
    before: Object = {}
    for row in library.list("market", "statement"):
        if before and before["company_id"] == row["company_id"] and before["period"][:4] == row["period"][:4]:
            assert row["total_revenue"] > before["total_revenue"]
        before = row


def test_the_told_year_is_as_it_is_told(library: Library) -> None:
    row = library.get("market", "statement", ("xinghe-tech", "20251231"))
    assert row is not None
    assert (row["total_revenue"], row["n_income"], row["basic_eps"]) == (2_500_000_000, 580_000_000, 15_000)
    assert not library.list("market", "statement", {"company_id": "yunhai-bank"})


def _quote(library: Library, market: str, symbol: str, now: datetime) -> Quote:
    listing = library.get("market", "listing", (market, symbol))
    assert listing is not None
    return quote(library, listing, now)


@pytest.mark.parametrize("market", MARKETS)
def test_each_days_close_is_the_next_days_close_before(library: Library, market: str) -> None:
    listing = library.list("market", "listing", {"market": market})[0]
    night = datetime(2026, 9, 1, 23, 30, tzinfo=UTC)
    seen: list[Quote] = []
    for _ in range(120):
        night += timedelta(days=1)
        found = quote(library, listing, night)
        if not seen or seen[-1].day != found.day:
            seen.append(found)
    assert all(later.previous == earlier.last for earlier, later in pairwise(seen))
    assert all(
        found.low <= min(found.last, found.opened) <= max(found.last, found.opened) <= found.high for found in seen
    )
    assert all(abs(found.change) < found.previous * 4 // 100 for found in seen)
    assert all(date.fromisoformat(found.day).weekday() < 5 for found in seen)
    closed = {row["day"] for row in library.list("market", "holiday", {"market": market})}
    assert not closed & {found.day for found in seen}


def test_a_price_stands_still_between_two_moments_of_a_closed_market(library: Library) -> None:
    saturday = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
    assert _quote(library, "US", "ACME", saturday) == _quote(library, "US", "ACME", saturday + timedelta(hours=40))


def test_what_was_last_told_of_is_the_close_of_its_day(library: Library) -> None:
    acme = _quote(library, "US", "ACME", datetime(2026, 11, 20, 7, 45, tzinfo=UTC))
    assert (acme.last, acme.previous, acme.day) == (2_501_000, 2_469_000, "2026-11-19")
    bank = _quote(library, "CN_MAINLAND", "SH600999", datetime(2026, 11, 20, 7, 45, tzinfo=UTC))
    assert (bank.last, bank.previous, bank.over) == (457_800, 451_800, True)


def test_two_builds_have_the_same_bytes(library: Library, tmp_path: Path) -> None:
    again = Library(made.built(tmp_path), realms())
    assert again.digest == library.digest
