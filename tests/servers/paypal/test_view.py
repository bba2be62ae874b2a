"""The page of the PayPal account."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway

_HOSTILE = '<script>alert("x")</script>'
_CAPTURE = "CAPKILNLANE000001"


def _usd(value: str) -> dict[str, str]:
    return {"currency_code": "USD", "value": value}


def _state() -> dict[str, Any]:
    cycle = {
        "frequency": {"interval_unit": "MONTH", "interval_count": 3},
        "tenure_type": "REGULAR",
        "sequence": 2,
        "pricing_scheme": {"fixed_price": _usd("9.00")},
    }
    trial = {
        **cycle,
        "frequency": {"interval_unit": "WEEK", "interval_count": 1},
        "tenure_type": "TRIAL",
        "sequence": 1,
        "pricing_scheme": {},
    }
    unit = {"amount": _usd("40.00"), "items": [{"name": _HOSTILE, "quantity": "2"}]}
    nora = {"name": {"given_name": "Nora", "surname": "Vale"}, "email_address": "nora@vale.test"}
    notice = {"kind": "reminded", "at": "2026-11-19T08:00:00Z", "note": _HOSTILE}
    return {
        "merchant": [{"account_number": "KKKKKKKKKKKKK", "business_name": _HOSTILE}],
        "product": [{"id": "PROD-1", "name": "Glaze club", "description": _HOSTILE}],
        "plan": [
            {"id": "P-1", "product_id": "PROD-1", "name": "Quarterly", "status": "ACTIVE", "billing_cycles": [cycle, trial]},
            {"id": "P-2", "product_id": "PROD-9", "name": "Stray"},
        ],
        "subscription": [{"id": "I-1", "plan_id": "P-1", "status": "ACTIVE", "subscriber": nora, "quantity": "3"}],
        "invoice": [
            {
                "id": "INV2-1",
                "status": "SENT",
                "detail": {"invoice_number": "K-1", "currency_code": "USD"},
                "primary_recipients": [{"billing_info": {"email_address": "desk@vale.test"}}],
                "items": [{"name": "Bowl", "quantity": "3"}],
                "amount": _usd("30.00"),
                "due_amount": _usd("12.00"),
                "notices": [notice],
            }
        ],
        "order": [{"id": "ORDKILNLANE000001", "status": "COMPLETED", "payer": nora, "purchase_units": [unit]}],
        "capture": [
            {"id": _CAPTURE, "order_id": "ORDKILNLANE000001", "amount": _usd("40.00"), "create_time": "2026-11-19T08:00:00Z"},
            {"id": "CAPKILNLANE000002", "status": "COMPLETED", "amount": _usd("7.00")},
        ],
        "refund": [
            {
                "id": "R1",
                "capture_id": _CAPTURE,
                "amount": _usd("4.50"),
                "create_time": "2026-11-19T09:00:00Z",
                "note_to_payer": "A crack",
            }
        ],
        "tracker": [{"transaction_id": _CAPTURE, "tracking_number": "KL-1", "status": "SHIPPED", "carrier": "UPS"}],
        "dispute": [{"dispute_id": "PP-D-1", "reason": "CREDIT_NOT_PROCESSED", "dispute_amount": _usd("5.00")}],
    }  # fmt: skip


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["paypal"])["id"]
    put = gateway.api("PUT", f"/sessions/{made}/state", json={"paypal": _state()})
    assert put.status_code == 200, put.text
    return made


@pytest.mark.parametrize(
    ("room", "words"),
    [
        ("", ["40.00 USD", "-4.50 USD", "Order paid completed", "Refund"]),
        ("invoices", ["K-1", "sent", "desk@vale.test", "3 × Bowl", "reminded", "30.00 USD", "due 12.00 USD"]),
        ("orders", ["Nora Vale", "completed", "paid 40.00 USD", "↩ 4.50 USD A crack", "📦 KL-1 shipped UPS", "paid 7.00 USD"]),
        ("subscriptions", ["Nora Vale", "active", "Quarterly × 3"]),
        ("products", ["Glaze club", "Quarterly active trial: 0.00 a week, then 9.00 USD every 3 months", "Stray"]),
        ("disputes", ["PP-D-1", "Credit not processed", "5.00 USD"]),
        ("nowhere", ["40.00 USD"]),
    ],
)  # fmt: skip
def test_every_list_shows_what_happened(gateway: Gateway, session: str, room: str, words: list[str]) -> None:
    answer = httpx2.get(
        f"{gateway.url}/sessions/{session}/apps/paypal", params={"fragment": "", "room": room}, timeout=30
    )
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))
    for word in words:
        assert word in shown, (word, shown)


def test_an_account_without_anything_says_so(gateway: Gateway) -> None:
    made = gateway.session(world="empty", apps=["paypal"])["id"]
    answer = httpx2.get(f"{gateway.url}/sessions/{made}/apps/paypal", params={"fragment": ""}, timeout=30)
    assert "Nothing here yet." in answer.text
