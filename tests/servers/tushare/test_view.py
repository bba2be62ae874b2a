"""The view of Tushare's tables."""

from __future__ import annotations

import re

import httpx2

from tests.conftest import Gateway

_HOSTILE = '<script>alert("x")</script>'


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/tushare", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_a_fresh_session_shows_the_librarys_companies_and_their_statements(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["tushare"])["id"]
    words = re.sub(r"<[^>]*>|\s+", " ", _page(gateway, session, code="990002.SZ"))
    for shown in ("星河科技", "云海银行", "软件服务", "20251231", "25.00", "5.80", "1.5"):
        assert shown in words, shown
    assert "No statements of this company" in _page(gateway, session, code="990001.SZ")


def test_companies_of_a_state_are_shown_and_escaped(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["tushare"])["id"]
    stock = {"ts_code": "990511.SZ", "name": _HOSTILE}
    income = {"ts_code": "990511.SZ", "end_date": "20251231", "n_income": -1e8}
    put = gateway.api("PUT", f"/sessions/{session}/state", json={"tushare": {"stock": [stock], "income": [income]}})
    assert put.status_code == 200, put.text
    page = _page(gateway, session)
    assert _HOSTILE not in page
    assert "-1.00" in page
    gateway.api("PUT", f"/sessions/{session}/state", json={"tushare": {"stock": []}})
    assert "There are no companies" in _page(gateway, session)
