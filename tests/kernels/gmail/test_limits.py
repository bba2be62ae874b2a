"""Gmail's limits on numbers, and calls that never end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

NewSession = Callable[..., Session]


def called(session: Session, given: dict[str, Any], tool: str, arguments: dict[str, Any]) -> str:
    """Return the reply to a call in this state."""
    with session.context.step("state", "state", None):
        state.load(session.context, {"gmail": given})
    made = dispatch(session, load_app("gmail"), tool, arguments)
    assert made.reply is not None
    return str(made.reply["content"][0]["text"] if "content" in made.reply else made.reply["error"]["message"])


def test_no_more_than_five_hundred_messages_are_found(new_session: NewSession) -> None:
    given = [{"id": f"{n + 16:x}", "threadId": "10", "labelIds": ["INBOX"], "payload": {}} for n in range(501)]
    text = called(new_session(), {"message": given}, "search_emails", {"query": "in:inbox", "maxResults": 900})
    assert text.count("ID: ") == 500


def test_there_are_ten_thousand_labels_at_most(new_session: NewSession) -> None:
    given = [{"id": f"Label_{n}", "name": f"n{n}", "type": "user"} for n in range(10_000)]
    refused = "Error: Failed to create label: Maximum number of labels reached"
    assert called(new_session(), {"label": given}, "create_label", {"name": "one more"}) == refused
    made = called(new_session(), {"label": given[:-1]}, "create_label", {"name": "one more"})
    assert made.startswith("Label created successfully:\nID: Label_9999\n")


def test_there_are_a_thousand_filters_at_most(new_session: NewSession) -> None:
    action = {"removeLabelIds": ["INBOX"]}
    given = [{"id": f"f{n}", "criteria": {"from": f"a{n}@b.test"}, "action": action} for n in range(1_000)]
    wanted = {"criteria": {"from": "new@b.test"}, "action": action}
    refused = "Error: Invalid filter criteria or action: Too many filters"
    assert called(new_session(), {"filter": given}, "create_filter", wanted) == refused
    assert called(new_session(), {"filter": given[:-1]}, "create_filter", wanted).startswith("Filter created")


def test_a_batch_that_never_ends_costs_its_client_a_minute(new_session: NewSession) -> None:
    session = new_session()
    before = session.context.read_meta().clock.at_ms
    arguments = {"messageIds": ["10"], "batchSize": -1}
    assert called(session, {}, "batch_delete_emails", arguments) == "Request timed out"
    assert session.context.read_meta().clock.at_ms - before >= 60_000
