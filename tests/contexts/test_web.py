"""State of web sites in a session: it is part of the session's state, and separate for each site."""

from __future__ import annotations

import pytest

from soundstage.contexts.engine import state
from soundstage.contexts.engine.schema import StateError
from soundstage.contexts.engine.store import Context
from tests.contexts.steps import step

APP = "puppeteer"  # an app whose tables declare that it uses the web


def test_a_site_stores_what_was_sent_to_it(context: Context) -> None:
    made = step(
        context, lambda app: app.web.add("g.test", "order", "/order", {"item": "pen"}, "ORD-{digits:4}"), app=APP
    )
    web = context.app(APP).web
    assert made["id"].startswith("ORD-")
    assert [row["fields"] for row in web.records("g.test", "order")] == [{"item": "pen"}]
    assert web.record("g.test", made["id"]) == made
    assert web.record("h.test", made["id"]) is None
    assert web.records("h.test", "order") == web.records("g.test", "comment") == []
    assert state.dump(context)["web"]["record"] == [made]


def test_browser_storage_can_be_replaced_and_cleared(context: Context) -> None:
    for value in ("1", "2"):
        step(context, lambda app, value=value: app.web.set_item("g.test", "cookie", "a", value), app=APP)  # type: ignore[misc]
    web = context.app(APP).web
    assert web.storage("g.test", "cookie") == {"a": "2"}
    assert web.storage("g.test", "local") == web.storage("h.test", "cookie") == {}
    step(context, lambda app: app.web.set_item("g.test", "cookie", "a", None), app=APP)
    assert web.storage("g.test", "cookie") == {}


def test_an_app_without_the_declaration_has_no_web(context: Context) -> None:
    with pytest.raises(KeyError, match="web=True"):
        _ = context.app("wecom").web


def test_fields_are_texts(context: Context) -> None:
    with pytest.raises(StateError, match=r"web.record\[0\].fields"):
        state.check(context, {"web": {"record": [{"id": "a", "fields": {"x": 1}}]}})
