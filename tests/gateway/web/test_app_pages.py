"""The pages of apps: the place at which a page opens, the marked change, the clock of its times, and numbered lists."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from soundstage.contexts.engine.state import load
from soundstage.contexts.engine.store import Context
from soundstage.servers.view import load_view
from tests.conftest import Gateway
from tests.gateway.web.conftest import call
from tests.gateway.web.content import state

_PAGE = "00000000-0000-4000-8000-000000000001"


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty")["id"]
    there = state()
    there["slack"]["channel"].append({"id": "C2", "name": "second", "is_channel": True, "is_member": True})
    late = {"channel": "C2", "user": "U1", "thread_ts": None}
    there["slack"]["message"] += [
        {**late, "ts": f"17951{n}.000100", "text": f"remark {n}"} for n in range(36500, 36600)
    ]
    there["slack"]["message"].append({**late, "ts": "1795000000.000100", "text": "the oldest"})
    put = gateway.api("PUT", f"/sessions/{made}/state?mode=add", json=there)
    assert put.status_code == 200, put.text
    return made


def _app(gateway: Gateway, session: str, app: str, **query: Any) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/{app}", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def _anchored(page: str) -> str:
    """Return the text after the page's only anchor."""
    assert page.count('id="changed"') == 1
    return re.sub(r"<[^>]*>|\s+", " ", page.partition('id="changed"')[2])[:600]


def test_a_page_opens_at_a_thread_message_written_by_the_last_call(gateway: Gateway, session: str) -> None:
    call(
        gateway, session, "slack", "slack_reply_to_thread",
        channel_id="C1", thread_ts="1795136400.000100", text="A reply to see",
    )  # fmt: skip
    page = _app(gateway, session, "slack")
    assert 'aria-label="Thread"' in page
    assert "A reply to see" in _anchored(page)
    assert "slack_reply_to_thread" in page
    assert 'id="changed"' not in _app(gateway, session, "slack", channel="C2")


def test_a_page_goes_back_to_an_old_message_that_was_changed(gateway: Gateway, session: str) -> None:
    call(
        gateway, session, "slack", "slack_add_reaction",
        channel_id="C2", timestamp="1795000000.000100", reaction="eyes",
    )  # fmt: skip
    page = _app(gateway, session, "slack")
    assert "the oldest" in _anchored(page)
    assert "remark 36599" not in page


def test_the_page_of_an_earlier_step_opens_at_the_last_change_before_it(gateway: Gateway, session: str) -> None:
    for text in ("The first one", "The second one"):
        call(gateway, session, "slack", "slack_post_message", channel_id="C1", text=text)
    call(gateway, session, "lark", "task_v2_task_create", data={"summary": "Lamps"})
    assert "The second one" in _anchored(_app(gateway, session, "slack"))
    assert "The second one" in _anchored(_app(gateway, session, "slack", at=4))
    earlier = _app(gateway, session, "slack", at=2)
    assert "The first one" in _anchored(earlier)
    assert "The second one" not in earlier


def test_an_object_without_a_place_on_the_apps_page_is_opened_in_its_tables(gateway: Gateway, session: str) -> None:
    call(gateway, session, "lark", "task_v2_task_create", data={"summary": "Bring the lamps"})
    page = _app(gateway, session, "lark")
    assert 'class="kinds"' in page
    assert "Bring the lamps" in _anchored(page)
    assert 'aria-label="Chats"' in _app(gateway, session, "lark", view="people")
    assert 'aria-label="Chats"' in _app(gateway, session, "lark", page="chats")


def test_a_page_opens_at_the_week_of_a_new_event(gateway: Gateway, session: str) -> None:
    times = {"start_time": {"timestamp": "1800000000"}, "end_time": {"timestamp": "1800003600"}}
    made = call(
        gateway, session, "lark", "calendar_v4_calendarEvent_create",
        path={"calendar_id": "cal_1"}, data={"summary": "A far one", **times},
    )  # fmt: skip
    assert made["ok"], made
    assert "A far one" in _anchored(_app(gateway, session, "lark"))


@pytest.mark.parametrize(
    ("app", "entity", "value", "query"),
    [
        ("xiaohongshu", "comment", {"id": "c1", "noteId": "n1"}, {"note": "n1"}),
        ("xiaohongshu", "mark", {"userId": "u1", "target": "c1"}, {"note": "n1"}),
        ("xiaohongshu", "unread", {"cookie_path": "x"}, None),
        ("notion", "comment", {"id": "x", "parent": {"block_id": "b1"}}, {"page": _PAGE}),
        ("notion", "data_source", {"id": "x", "parent": {"database_id": "d1"}}, {"database": "d1"}),
        ("notion", "comment", {"id": "x", "parent": {"block_id": "nowhere"}}, None),
        ("lark", "calendar_event", {"organizer_calendar_id": "c", "start_time": "?"}, {"page": "calendar", "calendar": "c"}),
    ],
)  # fmt: skip
def test_an_app_finds_the_place_of_an_object_on_its_page(
    context: Context, app: str, entity: str, value: dict[str, Any], query: dict[str, str] | None
) -> None:
    inner = {"id": "b2", "type": "quote", "parent": {"type": "block_id", "block_id": "b1"}}
    block = {"id": "b1", "type": "quote", "parent": {"type": "page_id", "page_id": _PAGE}}
    comment = {"id": "c1", "noteId": "n1"}
    with context.transaction():
        load(context, {"notion": {"block": [block, inner]}, "xiaohongshu": {"comment": [comment]}})
    view = load_view(app)
    assert view is not None
    assert view.place(context.app(app), entity, value) == query


def test_every_run_of_numbered_blocks_counts_from_one_and_so_do_nested_ones(gateway: Gateway, session: str) -> None:
    def block(kind: str, text: str, *below: dict[str, Any]) -> dict[str, Any]:
        inner: dict[str, Any] = {"rich_text": [{"type": "text", "text": {"content": text}}]}
        return {"object": "block", "type": kind, kind: inner | ({"children": list(below)} if below else {})}

    bullets = [block("bulleted_list_item", f"bullet {n}") for n in range(5)]
    nested = block("numbered_list_item", "second", block("numbered_list_item", "inner"))
    numbered = [block("numbered_list_item", "first"), nested, block("paragraph", "between")]
    again = [block("numbered_list_item", "anew")]
    made = call(
        gateway, session, "notion", "notion_append_block_children",
        block_id=_PAGE, children=[*bullets, *numbered, *again],
    )  # fmt: skip
    assert made["ok"], made
    lists = re.findall(r"</?[ou]l>|<li|(?:bullet|first|second|inner|between|anew)", _app(gateway, session, "notion"))
    assert lists == [
        "<ul>", "<li", "</ul>",  # the list of the page itself
        "<ul>", *["<li", "bullet"] * 5, "</ul>",
        "<ol>", "<li", "first", "<li", "second", "<ol>", "<li", "inner", "</ol>", "</ol>",
        "between",
        "<ol>", "<li", "anew", "</ol>",
    ]  # fmt: skip


def test_a_page_names_the_clock_and_zone_of_its_times(gateway: Gateway, session: str) -> None:
    lark = _app(gateway, session, "lark")
    assert re.search(r"of the session’s clock, Asia/Shanghai \(UTC\+08:00\); it was \d{4}-\d\d-\d\d", lark)
    assert "of the session’s clock, UTC; it was" in _app(gateway, session, "notion")
    shown = httpx2.get(f"{gateway.url}/sessions/{session}").text
    assert re.search(r"session clock <b[^>]*>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC</b>", shown)
    listed = httpx2.get(f"{gateway.url}/sessions").text
    assert re.search(r'made <span class="clock"><small>wall</small> <time [^>]*>[^<]* UTC</time>', listed)
