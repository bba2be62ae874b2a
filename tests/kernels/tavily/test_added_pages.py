"""Pages that a session adds complement the library's; pages that replace them are the only ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

OWN = {
    "url": "https://own.test/",
    "html": "<title>Metro rumours</title><p>Somebody says that line 3 opens for trams.</p>",
}
METRO = "http://site.test/news/metro"


def _search(session: Session, query: str) -> str:
    made = dispatch(session, load_app("tavily"), "tavily-search", {"query": query, "max_results": 10})
    assert made.reply is not None
    return str(made.reply["content"][0]["text"])


def _put(session: Session, pages: list[dict[str, Any]], mode: state.LoadMode) -> None:
    with session.context.transaction():
        state.load(session.context, {"tavily": {"page": pages}}, mode)


def test_an_added_page_is_found_with_the_librarys(new_session: Callable[..., Session]) -> None:
    session = new_session()
    _put(session, [OWN], "add")
    text = _search(session, "when did metro line 3 open")
    assert OWN["url"] in text
    assert METRO in text


def test_an_added_page_replaces_the_librarys_with_its_address(new_session: Callable[..., Session]) -> None:
    session = new_session()
    _put(session, [{"url": METRO, "html": "<title>Metro line 3 is late</title><p>Line 3 opens later.</p>"}], "add")
    text = _search(session, "metro line 3")
    assert "Metro line 3 is late" in text
    assert "Metro line 3 opens\n" not in text


def test_replacing_pages_hides_the_librarys(new_session: Callable[..., Session]) -> None:
    session = new_session()
    _put(session, [OWN], "replace")
    assert METRO not in _search(session, "metro")
    _put(session, [], "replace")
    assert _search(session, "metro") == "Detailed Results:"
