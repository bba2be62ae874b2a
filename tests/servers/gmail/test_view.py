"""The view of Gmail: labels with unread counts, threads, a single thread, search, and other accounts' mailboxes."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="studio", apps=["gmail"])["id"]
    return made


def page(gateway: Gateway, session: str, **query: Any) -> str:
    """Return the page's text with single spaces."""
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/gmail", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return re.sub(r"<[^>]*>|\s+", " ", answer.text)


def test_the_inbox_lists_threads_with_people_and_subjects(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, view="people", label="INBOX")
    assert "Backdrop, rolled, 6 x 3" in shown
    assert "Shen Qi" in shown
    assert "YOU WON a panel" not in shown
    assert "Older" in shown


def test_nested_labels_are_indented_and_hidden_ones_omitted(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, view="people")
    assert " Vendors " in shown
    assert "2025 archive" not in shown


def test_a_thread_shows_its_mails_and_files_in_their_order(gateway: Gateway, session: str) -> None:
    messages = gateway.api("GET", f"/sessions/{session}/state?app=gmail&entity=message").json()["gmail"]["message"]
    subject = {"name": "Subject", "value": "M9 Stage, 24 November, option"}
    thread = next(m["threadId"] for m in messages if subject in m["payload"]["headers"])
    shown = page(gateway, session, view="people", thread=thread)
    assert shown.index("We hold Tuesday 24 November") < shown.index("The 24th goes to a wedding")
    assert "m9-change-of-date.pdf" in shown
    assert "This thread does not exist." in page(gateway, session, view="people", thread="none")


def test_search_takes_gmails_syntax(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, view="people", q="from:shenqi has:nouserlabels OR subject:backdrop")
    assert "Backdrop, rolled, 6 x 3" in shown
    assert "Invitations, 80 pieces" not in shown
    assert "There is no mail here." in page(gateway, session, view="people", q="xylophone")


def test_other_people_have_separate_mailboxes(gateway: Gateway, session: str) -> None:
    box = "sofia.duarte.lantern@gmail.example"
    shown = page(gateway, session, view="people", box=box)
    assert "Your advertisement in December" in shown
    assert "Backdrop, rolled" not in shown


def test_the_page_opens_at_what_was_sent(gateway: Gateway, session: str) -> None:
    arguments = {"to": ["gaomin@gritprint.example"], "subject": "Envelopes", "body": "Please make it ninety."}
    assert call(gateway, session, "gmail", "send_email", **arguments)["ok"]
    shown = page(gateway, session)
    assert "Please make it ninety." in shown
    assert "Envelopes" in shown


def test_the_content_of_a_mail_is_escaped(gateway: Gateway, session: str) -> None:
    arguments = {"to": ["a@b.example"], "subject": "<script>alert(1)</script>", "body": "<img src=x>"}
    assert call(gateway, session, "gmail", "draft_email", **arguments)["ok"]
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/gmail", params={"fragment": ""}, timeout=30).text
    assert "<script>alert" not in answer
    assert "<img src=x" not in answer
    assert "&lt;script&gt;" in answer
