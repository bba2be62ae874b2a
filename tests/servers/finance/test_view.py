"""The view of quotes."""

from __future__ import annotations

import re

import httpx2

from tests.conftest import Gateway

_HOSTILE = '<script>alert("x")</script>'


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/finance", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_a_fresh_session_shows_the_librarys_companies_with_recent_weeks(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["finance"])["id"]
    page = _page(gateway, session, market="US", symbol="ACME")
    words = re.sub(r"<[^>]*>|\s+", " ", page)
    for shown in ("Acme Corporation", "LANTZ", "Lantern Cloud", "Close before", "Bil"):
        assert shown in words, shown
    assert re.search(r'<polyline points="0\.0,\d', page)
    chinese = _page(gateway, session, market="CN_MAINLAND")
    assert "星河科技" in chinese
    assert re.search(r"Capital \d{1,3}(,\d{3}){2,} ", re.sub(r"<[^>]*>|\s+", " ", chinese).replace("  ", " "))
    assert "云海银行" in _page(gateway, session, market="MARS", symbol="nobody")


def test_quotes_of_a_state_are_shown_unchanged(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["finance"])["id"]
    quote = {"market": "LSE", "symbol": "TERNS", "avg_price": "12.50", "change": "-0.10", "company_name": _HOSTILE}
    put = gateway.api("PUT", f"/sessions/{session}/state", json={"finance": {"quote": [quote]}})
    assert put.status_code == 200, put.text
    page = _page(gateway, session)
    assert _HOSTILE not in page
    assert "TERNS" in page
    assert "12.50" in page
    assert 'class="n down"' in page
    assert "<polyline" not in page
    assert "No quotes of this market" in _page(gateway, session, market="US")
