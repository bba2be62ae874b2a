"""A recording contains each call with the name and arguments with which it was made."""

from __future__ import annotations

import json
from typing import Any

from soundstage.servers.catalogue import load_app
from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_KEPT_OUT = {
    "start_codegen_session",
    "end_codegen_session",
    "get_codegen_session",
    "clear_codegen_session",
    "playwright_close",
}
_GIVEN = {"url": "http://ferry.test/", "script": "1", "key": "Tab", "value": "{}"}


def test_every_tool_is_recorded_by_its_own_name(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["playwright"])["id"]
    page = {"url": _GIVEN["url"], "html": "<title>Ferry</title>"}
    added = gateway.api("PUT", f"/sessions/{session}/state?mode=add", json={"playwright": {"page": [page]}})
    assert added.status_code == 200, added.text
    begun = call(gateway, session, "playwright", "start_codegen_session", options={"outputPath": "/srv/tests"})
    recording = json.loads(begun["reply"]["content"][0]["text"])["sessionId"]
    made: list[tuple[str, dict[str, Any]]] = []
    for name, tool in load_app("playwright").tools.items():
        if name not in _KEPT_OUT:
            arguments = {given: _GIVEN.get(given, "x") for given in tool.input_schema.get("required", ())}
            call(gateway, session, "playwright", name, **arguments)
            made.append((name, arguments))
    recording_reply = call(gateway, session, "playwright", "get_codegen_session", sessionId=recording)
    actions = json.loads(recording_reply["reply"]["content"][0]["text"])["actions"]
    assert [(action["toolName"], action["parameters"]) for action in actions] == made
