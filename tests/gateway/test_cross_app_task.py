"""One task across four apps by a real client: the diff shows exactly the rows that it changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client import Client

from tests.conftest import Gateway

TEAM, CHANNEL, QUESTION_TS = "T0LANTERN1", "C0LAUNCH01", "1795160000.000100"
MEI, BOT = "U0MEIMEI01", "U0BOTBOT01"
OPEN_ID = "ou_" + "7" * 32
PAGE = "1f6a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a41"
STATE: dict[str, dict[str, list[dict[str, Any]]]] = {
    "slack": {
        "auth": [{"user_id": BOT, "bot_id": "B0BOTBOT01", "team_id": TEAM, "team": "Lantern", "user": "assistant"}],
        "user": [
            {
                "id": MEI,
                "team_id": TEAM,
                "name": "mei",
                "profile": {"email": "mei@lantern.example", "real_name": "Mei Lin"},
            },
            {"id": BOT, "team_id": TEAM, "name": "assistant", "is_bot": True, "profile": {"real_name": "assistant"}},
        ],
        "channel": [{"id": CHANNEL, "name": "launch", "is_channel": True, "is_member": True, "num_members": 2}],
        "message": [
            {
                "channel": CHANNEL,
                "ts": QUESTION_TS,
                "thread_ts": QUESTION_TS,
                "user": MEI,
                "text": "Who books the light test?",
                "reply_count": 1,
            },
            {
                "channel": CHANNEL,
                "ts": "1795160100.000200",
                "thread_ts": QUESTION_TS,
                "user": MEI,
                "text": "Friday at ten, an hour.",
            },
        ],
    },
    "lark": {
        "app": [{"app_id": "cli_9f427eec54ae901b", "tenant_key": "736588c9260f175e", "bot_enabled": True}],
        "user": [
            {
                "open_id": "ou_" + "7" * 32,
                "name": "Mei Lin",
                "email": "mei@lantern.example",
                "status": {"is_activated": True},
            }
        ],
        "calendar": [
            {
                "calendar_id": "feishu.cn_mN2qVZr7fK0cR4pXs8TtLh@group.calendar.feishu.cn",
                "user_id": OPEN_ID,
                "summary": "Mei Lin",
                "type": "primary",
            }
        ],
    },
    "notion": {
        "user": [
            {
                "object": "user",
                "id": "9e2f4c1a-7b3d-4e8a-9c11-2d5f6a7b8c90",
                "type": "bot",
                "name": "assistant",
                "bot": {},
            }
        ],
        "page": [
            {
                "object": "page",
                "id": PAGE,
                "created_time": "2026-11-10T08:00:00.000Z",
                "last_edited_time": "2026-11-10T08:00:00.000Z",
                "parent": {"type": "workspace", "workspace": True},
                "in_trash": False,
                "properties": {
                    "title": {
                        "id": "title",
                        "type": "title",
                        "title": [{"type": "text", "text": {"content": "Light tests"}, "plain_text": "Light tests"}],
                    }
                },
            }
        ],
    },
    "xiaohongshu": {
        "session": [{"logged_in": True, "nickname": "小灯", "userId": "5f3c1a2b0000000001008e4d"}],
        "file": [{"path": "/srv/pictures/lamp.jpg"}],
    },
}


def _json(result: Any) -> Any:
    assert not result.is_error, result
    return json.loads(result.content[0].text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_task_across_four_apps_changes_exactly_its_rows(gateway: Gateway, mode: str) -> None:
    session = gateway.session(world="empty")
    put = gateway.api("PUT", f"/sessions/{session['id']}/state", json=STATE)
    assert put.status_code == 200, put.text
    async with Client(session["mcp_url"], mode=mode) as client:
        thread = _json(
            await client.call_tool("slack_get_thread_replies", {"channel_id": CHANNEL, "thread_ts": QUESTION_TS})
        )
        assert [m["text"] for m in thread["messages"]] == ["Who books the light test?", "Friday at ten, an hour."]
        profile = _json(await client.call_tool("slack_get_user_profile", {"user_id": thread["messages"][0]["user"]}))
        email = profile["profile"]["email"]

        users = _json(await client.call_tool("lark_contact_v3_user_batchGetId", {"data": {"emails": [email]}}))
        assert users["user_list"][0]["user_id"].startswith("ou_")

        times = {
            "start_time": {"timestamp": "1795744800", "timezone": "Asia/Shanghai"},
            "end_time": {"timestamp": "1795748400", "timezone": "Asia/Shanghai"},
        }
        event = {"path": {"calendar_id": "primary"}, "data": {"summary": "Light test", **times}, "useUAT": True}
        made = _json(await client.call_tool("lark_calendar_v4_calendarEvent_create", event))["event"]

        items = [
            {"type": "heading_2", "text": "Light test"},
            {"type": "paragraph", "text": f"Event {made['event_id']}"},
        ]
        written = _json(await client.call_tool("notion_append_content", {"block_id": PAGE, "items": items}))
        assert len(written["results"]) == 2

        note = {"title": "灯光测试", "content": "周五十点，一小时。", "images": ["/srv/pictures/lamp.jpg"]}
        posted = await client.call_tool("xiaohongshu_publish_content", note)
        assert not posted.is_error, posted

    changes = gateway.api("GET", f"/sessions/{session['id']}/diff", params={"from": 1}).json()
    assert sorted((c["app"], c["entity"], c["op"]) for c in changes) == [
        ("lark", "calendar_event", "insert"),
        ("notion", "block", "insert"),
        ("notion", "block", "insert"),
        ("xiaohongshu", "note", "insert"),
    ]
    assert [line["app"] for line in gateway.journal(session["id"])] == [
        None, "slack", "slack", "lark", "lark", "notion", "xiaohongshu",
    ]  # fmt: skip
