"""A tool of an earlier generation is in no list, but can be called at the app's own address."""

from __future__ import annotations

from collections.abc import Callable

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app


def test_no_address_lists_tools_of_the_former_server() -> None:
    names = {tool["name"] for tool in app_toolset("context7").tools}
    assert names == {"resolve-library-id", "query-docs"}
    assert not [name for name in shared_toolset(("context7",)).targets if "get-library-docs" in name]


def test_a_former_tool_answers_if_the_state_selects_the_former_server(new_session: Callable[..., Session]) -> None:
    session, app = new_session(world="empty"), load_app("context7")
    arguments = {"context7CompatibleLibraryID": "/acme/widgetkit", "topic": "create"}
    refused = dispatch(session, app, "get-library-docs", arguments).answer
    assert refused.error_kind == "unknown_tool"
    with session.context.step("state", "state", None):
        state.load(session.context, {"context7": {"_server": [{"generation": "1.0.14"}]}})
    assert dispatch(session, app, "get-library-docs", arguments).answer.ok
    assert (
        dispatch(session, app, "query-docs", {"libraryId": "/acme/widgetkit", "query": "x"}).answer.error_kind
        == "unknown_tool"
    )
