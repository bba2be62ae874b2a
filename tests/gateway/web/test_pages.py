"""The pages over HTTP: headers, their JSON, filters, paging, and error messages."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call
from tests.gateway.web.content import state


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty")["id"]
    gateway.api("PUT", f"/sessions/{made}/state?mode=add", json=state())
    call(gateway, made, "lark", "im_v1_chat_list")
    call(gateway, made, "lark", "task_v2_task_create", data={"summary": "Lamps"})
    call(gateway, made, "slack", "no_such_tool")
    return made


def _get(gateway: Gateway, path: str, status: int = 200) -> str:
    answer = httpx2.get(gateway.url + path, timeout=30)
    assert answer.status_code == status, answer.text[:500]
    return answer.text


PATHS = (
    "/",
    "/worlds/studio",
    "/sessions",
    "/search",
    "/library",
    "/library/places/venue",
    "/search?q=calendar",
    "/search?app=slack",
    "/sessions/{s}",
    "/sessions/{s}?app=lark&effect=create&only=failed",
    "/sessions/{s}/calls/2",
    "/sessions/{s}/apps/lark",
    "/sessions/{s}/apps/lark?page=calendar&week=2026-11-16&calendar=cal_1",
    "/sessions/{s}/apps/lark?view=tables&entity=message",
    "/sessions/{s}/apps/slack?channel=C1&thread=1795136400.000100",
    "/sessions/{s}/apps/xiaohongshu?note=n1",
    "/sessions/{s}/apps/notion?at=1",
    "/sessions/{s}/diff?from=1&to=3",
    "/sessions/{s}/try?app=slack&tool=slack_post_message",
    "/sessions/{s}/faults",
    "/sessions/{s}/search",
    "/sessions/{s}/search?q=Lamps&app=lark&tool=x&ok=true&fault=any&effect=create&before=9",
    "/sessions/{s}/data",
)


@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_strict_headers_and_a_json_version(gateway: Gateway, session: str, path: str) -> None:
    answer = httpx2.get(gateway.url + path.format(s=session), timeout=30)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son[a-z]+=", answer.text)
    twin = re.search(r'<a href="([^"]+)">This page as JSON', answer.text)
    assert twin is not None
    shown = httpx2.get(gateway.url + html.unescape(twin[1]), timeout=30)
    assert shown.status_code == 200
    assert "json" in shown.headers["content-type"]


def test_a_tool_search_without_matches_suggests_alternatives(gateway: Gateway) -> None:
    page = html.unescape(_get(gateway, "/search?q=zzyzx&app=slack"))
    assert "“zzyzx”: no tool fits; say it in other words" in page
    assert "search without app 'slack'" in page


def test_the_timeline_filters_by_app_effect_and_failure(gateway: Gateway, session: str) -> None:
    def steps(query: str) -> list[int]:
        return [int(s) for s in re.findall(r'data-step="(\d+)"', _get(gateway, f"/sessions/{session}?{query}"))]

    assert steps("") == [4, 3, 2, 1]
    assert steps("app=lark") == [3, 2]
    assert steps("effect=create") == [3]
    assert steps("only=failed") == [4]
    assert steps("app=slack&only=failed") == [4]
    assert steps("before=3") == [2, 1]


def test_an_app_can_be_shown_at_an_earlier_step(gateway: Gateway, session: str) -> None:
    before = _get(gateway, f"/sessions/{session}/apps/lark?view=tables&entity=task&at=2")
    after = _get(gateway, f"/sessions/{session}/apps/lark?view=tables&entity=task&at=3")
    assert "Lamps" not in before
    assert "Lamps" in after
    twin = gateway.api("GET", f"/sessions/{session}/state", params={"app": "lark", "entity": "task", "at": 2})
    assert twin.json() == {}
    assert [c["step"] for c in gateway.journal(session)] == [1, 2, 3, 4]


def test_the_changes_of_the_last_call_are_marked(gateway: Gateway, session: str) -> None:
    page = _get(gateway, f"/sessions/{session}/apps/lark?view=tables&entity=task")
    assert 'class="marked"' in page
    assert "The last change" in page


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/sessions/nobody", 404, "no session"),
        ("/sessions/{s}/apps/nothing", 404, "has no app"),
        ("/sessions/{s}/calls/99", 404, "no step 99"),
        ("/sessions/{s}/apps/lark?at=99", 503, "steps 0 (its start) to 4"),
        ("/sessions/{s}/diff?from=a", 400, "whole number"),
        ("/sessions/{s}/apps/lark?view=tables&entity=%00&key=[", 200, "user"),
        ("/sessions/{s}/apps/lark?page=calendar&week=0000-99-99", 200, "Week"),
    ],
)
def test_a_page_that_cannot_be_shown_reports_the_reason(
    gateway: Gateway, session: str, path: str, status: int, words: str
) -> None:
    assert words in _get(gateway, path.format(s=session), status)


def test_a_form_turns_its_fields_into_arguments() -> None:
    from soundstage.gateway.web.forms import arguments_of, form_of
    from soundstage.servers.catalogue import load_app

    tool = load_app("lark").tools["calendar_v4_calendarEvent_create"]
    filled = {
        "arg:data/summary": "Lunch",
        "arg:data/description": "One\r\nTwo",
        "arg:data/start_time/timestamp": "1795140000",
        "arg:data/need_notification": "false",
        "arg:data/reminders": '[{"minutes": 5}]',
        "arg:path/calendar_id": "cal_1",
        "arg:useUAT": "true",
    }
    made: dict[str, Any] = arguments_of(tool.input_schema, filled)
    assert made["data"] == {
        "summary": "Lunch",
        "description": "One\nTwo",
        "need_notification": False,
        "start_time": {"timestamp": "1795140000"},
        "end_time": {},
        "reminders": [{"minutes": 5}],
    }
    assert made["path"] == {"calendar_id": "cal_1"}
    assert made["useUAT"] is True

    def inputs(fields: list[Any]) -> dict[str, str]:
        return {
            n: v for f in fields for n, v in ([(f.name, f.value)] if f.kind != "group" else inputs(f.fields).items())
        }

    again = arguments_of(tool.input_schema, inputs(form_of(tool, made)))
    assert again == made
