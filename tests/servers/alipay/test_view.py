"""The view of a merchant at Alipay."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'
_TICKETS = {"outTradeNo": "K-1", "totalAmount": 25.5, "orderTitle": "Two tickets", "tradeStatus": "TRADE_SUCCESS"}
_BACK = {"outTradeNo": "K-1", "refundStatus": "REFUND_SUCCESS", "refundReason": _HOSTILE}


def _state() -> dict[str, Any]:
    return {
        "payment": [
            {**_TICKETS, "tradeNo": "2026031122001400000000000077"},
            {"outTradeNo": "K-2", "totalAmount": 8, "orderTitle": _HOSTILE, "createdAt": 1},
            {"outTradeNo": "K-3", "totalAmount": 1.005, "createdAt": 10**18},
        ],
        "refund": [
            {**_BACK, "outRequestNo": "R-1", "refundAmount": 5},
            {"outTradeNo": "K-1", "outRequestNo": "R-2", "refundAmount": 2},
        ],
        "payer": [{"outTradeNo": "*"}],
    }  # fmt: skip


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["alipay"])["id"]
    put = gateway.api("PUT", f"/sessions/{made}/state", json={"alipay": _state()})
    assert put.status_code == 200, put.text
    return made


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/alipay", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_an_order_shows_its_state_and_its_refunds(gateway: Gateway, session: str) -> None:
    page = _page(gateway, session, order="K-1")
    assert _HOSTILE not in page
    words = re.sub(r"<[^>]*>|\s+", " ", page)
    for shown in ("Two tickets", "¥25.50", "paid", "2026031122001400000000000077", "¥5.00", "R-2", "not gone through"):
        assert shown in words, shown
    assert page.count('class="done"') == 3
    assert _page(gateway, session, order="K-2").count('class="done"') == 1
    assert "link not opened" in _page(gateway, session, order="nobody")


def test_a_page_opens_at_the_last_refund(gateway: Gateway, session: str) -> None:
    call(gateway, session, "alipay", "refund-alipay-payment", outTradeNo="K-1", refundAmount=1.5, outRequestNo="R-9")
    page = _page(gateway, session)
    assert page.count('id="changed"') == 1
    assert "R-9" in page.partition('id="changed"')[2][:200]


def test_without_orders_there_is_nothing_to_show(gateway: Gateway) -> None:
    made = gateway.session(world="empty", apps=["alipay"])["id"]
    assert "no orders yet" in _page(gateway, made)
