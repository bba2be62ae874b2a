"""Life cycles of a merchant's objects on a clock that advances one second per call.

Time alone decides when payers act.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app


class Shop:
    """A merchant's server, called as an agent calls it."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def call(self, tool: str, **arguments: Any) -> Any:
        made = dispatch(self.session, load_app("paypal"), tool, arguments)
        assert made.reply is not None
        return json.loads(made.reply["content"][0]["text"])

    def refusal(self, tool: str, **arguments: Any) -> str:
        reply = self.call(tool, **arguments)
        assert reply["ok"] is False
        return str(reply["message"]).partition(".: ")[2]

    def give(self, entity: str, *rows: dict[str, Any]) -> None:
        with self.session.context.step("state", "state", None):
            state.load(self.session.context, {"paypal": {entity: list(rows)}}, "add")


@pytest.fixture
def shop(new_session: Callable[..., Session]) -> Shop:
    return Shop(new_session())


def _usd(value: str) -> dict[str, str]:
    return {"currency_code": "USD", "value": value}


def _cart(shop: Shop) -> str:
    item = {"name": "Bowl", "quantity": 2, "itemCost": 12.5, "taxPercent": 8, "itemTotal": 25}
    return str(shop.call("create_order", currencyCode="USD", items=[item])["id"])


def test_an_order_is_approved_by_its_payer_captured_once_and_refunded_to_the_last_cent(shop: Shop) -> None:
    order = _cart(shop)
    assert "not yet approved" in shop.refusal("pay_order", id=order)
    assert shop.call("get_order", id=order)["status"] == "APPROVED"
    captured = shop.call("pay_order", id=order)["response"]["purchase_units"][0]["payments"]["captures"][0]
    assert captured["amount"] == _usd("27.00")
    assert "already captured" in shop.refusal("pay_order", id=order)
    shop.call("create_refund", capture_id=captured["id"], amount=_usd("10.00"))
    shop.call("create_refund", capture_id=captured["id"], amount=_usd("10.00"))
    assert "not yet been refunded" in shop.refusal("create_refund", capture_id=captured["id"], amount=_usd("10.00"))
    last = shop.call("create_refund", capture_id=captured["id"])
    assert shop.call("get_refund", refund_id=last["id"])["amount"] == _usd("7.00")
    assert "fully refunded" in shop.refusal("create_refund", capture_id=captured["id"])
    shown = shop.call("get_order", id=order)["purchase_units"][0]
    assert shown["payments"]["captures"][0]["status"] == "REFUNDED"
    assert shown["items"][0]["tax"] == _usd("1.00")
    ledger = shop.call("list_transactions")["transaction_details"]
    entries = [
        (t["transaction_info"]["transaction_event_code"], t["transaction_info"]["transaction_amount"]) for t in ledger
    ]
    assert [code for code, _ in entries] == ["T0006", "T1107", "T1107", "T1107"]
    assert sum(float(money["value"]) for _, money in entries) == 0


def test_the_same_order_twice_is_two_orders(shop: Shop) -> None:
    assert _cart(shop) != _cart(shop)


def test_a_payer_may_never_approve_and_a_bank_may_decline(shop: Shop) -> None:
    shop.give("payer", {"email_address": "nora@vale.test", "approves": False})
    order = _cart(shop)
    for _ in range(5):
        assert shop.call("get_order", id=order)["status"] == "CREATED"
    shop.give("payer", {"email_address": "nora@vale.test", "declined": True})
    order = _cart(shop)
    shop.call("list_products")
    assert shop.call("get_order", id=order)["status"] == "APPROVED"
    assert "declined" in shop.refusal("pay_order", id=order)


def test_a_plan_is_subscribed_to_approved_and_cancelled(shop: Shop) -> None:
    product = shop.call("create_product", name="Glaze club", type="SERVICE")
    cycle = {
        "frequency": {"interval_unit": "MONTH", "interval_count": 1},
        "tenure_type": "REGULAR",
        "sequence": 1,
        "pricing_scheme": {"fixed_price": _usd("9.00")},
    }
    plan = shop.call("create_subscription_plan", product_id=product["id"], name="Monthly", billing_cycles=[cycle])
    made = shop.call("create_subscription", plan_id=plan["id"])["id"]
    assert "should be active" in shop.refusal("cancel_subscription", subscription_id=made, payload={"reason": "no"})
    shown = shop.call("show_subscription_details", subscription_id=made, get_additional_details=True)
    assert (shown["status"], shown["billing_info"]["last_payment"]["amount"]) == ("ACTIVE", _usd("9.00"))
    assert shown["plan"]["name"] == "Monthly"
    assert shop.call("cancel_subscription", subscription_id=made, payload={"reason": "Moved"}) == ""
    ended = shop.call("show_subscription_details", subscription_id=made)
    assert (ended["status"], ended["status_change_note"]) == ("CANCELLED", "Moved")
    assert "should be active" in shop.refusal("cancel_subscription", subscription_id=made, payload={"reason": "x"})


def test_an_invoice_is_sent_then_reminded_of_then_paid(shop: Shop) -> None:
    shop.give("payer", {"email_address": "nora@vale.test", "after_seconds": 3, "name": {"given_name": "Nora"}})
    recipient = {"billing_info": {"email_address": "nora@vale.test"}}
    item = {"name": "Bowl", "quantity": "2", "unit_amount": _usd("12.50")}
    made = shop.call("create_invoice", detail={"currency_code": "USD"}, primary_recipients=[recipient], items=[item])
    invoice = made["createResult"]["href"].rsplit("/", 1)[-1]
    assert shop.call("get_invoice", invoice_id=invoice)["status"] == "SENT"
    assert shop.call("send_invoice_reminder", invoice_id=invoice, note="By Friday, please") == ""
    paid = shop.call("get_invoice", invoice_id=invoice)
    assert (paid["status"], paid["due_amount"], paid["payments"]["paid_amount"]) == (
        "PAID",
        _usd("0.00"),
        _usd("25.00"),
    )
    assert "paid" in shop.refusal("cancel_sent_invoice", invoice_id=invoice)
    payment = paid["payments"]["transactions"][0]["payment_id"]
    assert shop.call("list_transactions", transaction_id=payment)["found"] is True


def test_an_amount_refunded_by_a_claim_is_not_refunded_again(shop: Shop) -> None:
    order = _cart(shop)
    shop.call("get_order", id=order)
    captured = shop.call("pay_order", id=order)["response"]["purchase_units"][0]["payments"]["captures"][0]["id"]
    shop.call("create_shipment_tracking", transaction_id=captured, tracking_number="KL-1", carrier="UPS")
    assert shop.call("get_shipment_tracking", order_id=order)["trackers"][0]["status"] == "SHIPPED"
    disputed = {"seller_transaction_id": captured}
    claim = {"status": "OPEN", "dispute_amount": _usd("27.00"), "disputed_transactions": [disputed]}
    shop.give("dispute", {"dispute_id": "PP-D-70001", **claim})
    assert len(shop.call("list_disputes", disputed_transaction_id=captured)["items"]) == 1
    shop.call("accept_dispute_claim", dispute_id="PP-D-70001", note="Never_arrived")
    assert (
        shop.call("get_dispute", dispute_id="PP-D-70001")["dispute_outcome"]["outcome_code"] == "RESOLVED_BUYER_FAVOUR"
    )
    assert "fully refunded" in shop.refusal("create_refund", capture_id=captured)
