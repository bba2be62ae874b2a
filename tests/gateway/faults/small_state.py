"""A little of Lark, Slack, Notion and Rednote: one conversation, page and note each, so that calls have something to do."""

from __future__ import annotations

from typing import Any

BOT, CHAT, PERSON = "cli_5f0a00000000d001", "oc_00000000000000000000000000000a01", "ou_00000000000000000000000000000b01"
PAGE, NOTION_USER = "0d9c1f6e-5a7b-4c11-9a01-7c52b1e0aa01", "0d9c1f6e-5a7b-4c11-9a01-7c52b1e0bb01"
NOTE, NOTE_TOKEN = "66aa000000000000001e01f5", "AB" + "t" * 43 + "="
_TEAM = "T0STUDIO01"
_HOUR_AGO = 1795158000
_TEXTS = ("Call is at seven.", "The van is booked.", "Rain until ten.", "Bring the long cables.", "Lunch is at one.")


def _lark_message(number: int, text: str) -> dict[str, Any]:
    return {
        "message_id": f"om_{number:032x}",
        "msg_type": "text",
        "create_time": str((_HOUR_AGO + number) * 1000),
        "update_time": str((_HOUR_AGO + number) * 1000),
        "deleted": False,
        "updated": False,
        "chat_id": CHAT,
        "sender": {"id": PERSON, "id_type": "open_id", "sender_type": "user", "tenant_key": "studio"},
        "body": {"content": f'{{"text":"{text}"}}'},
    }


def _rich(text: str) -> list[dict[str, Any]]:
    plain = {
        "bold": False,
        "italic": False,
        "strikethrough": False,
        "underline": False,
        "code": False,
        "color": "default",
    }
    return [
        {
            "type": "text",
            "text": {"content": text, "link": None},
            "annotations": plain,
            "plain_text": text,
            "href": None,
        }
    ]


def _notion_head(kind: str, ident: str, parent: dict[str, Any]) -> dict[str, Any]:
    who = {"object": "user", "id": NOTION_USER}
    when = "2026-11-20T06:00:00.000Z"
    return {
        "object": kind,
        "id": ident,
        "created_time": when,
        "last_edited_time": when,
        "created_by": who,
        "last_edited_by": who,
        "parent": parent,
        "in_trash": False,
    }


def _block(number: int, text: str) -> dict[str, Any]:
    head = _notion_head("block", f"0d9c1f6e-5a7b-4c11-9a01-7c52b1e0c{number:03d}", {"type": "page_id", "page_id": PAGE})
    return {
        **head,
        "has_children": False,
        "type": "paragraph",
        "paragraph": {"rich_text": _rich(text), "color": "default"},
    }


SMALL_STATE: dict[str, dict[str, list[dict[str, Any]]]] = {
    "lark": {
        "app": [{"app_id": BOT, "tenant_key": "studio", "bot_enabled": True}],
        "user": [{"open_id": PERSON, "name": "Marta", "tenant_key": "studio"}],
        "chat": [
            {
                "chat_id": CHAT,
                "name": "Shoot day",
                "chat_mode": "group",
                "chat_type": "private",
                "tenant_key": "studio",
                "member_ids": [PERSON],
                "bot_ids": [BOT],
            }
        ],
        "message": [_lark_message(i + 1, text) for i, text in enumerate(_TEXTS)],
    },
    "slack": {
        "auth": [
            {"user_id": "U0BOT00001", "team_id": _TEAM, "team": "Studio", "user": "helper", "bot_id": "B0BOT00001"}
        ],
        "user": [
            {"id": "U0BOT00001", "team_id": _TEAM, "name": "helper", "is_bot": True},
            {"id": "U0MARTA001", "team_id": _TEAM, "name": "marta", "real_name": "Marta"},
        ],
        "channel": [
            {
                "id": "C0GENERAL1",
                "name": "general",
                "is_channel": True,
                "is_member": True,
                "members": ["U0BOT00001", "U0MARTA001"],
            }
        ],
        "message": [
            {
                "channel": "C0GENERAL1",
                "ts": f"{_HOUR_AGO + i}.000100",
                "type": "message",
                "user": "U0MARTA001",
                "text": text,
                "team": _TEAM,
            }
            for i, text in enumerate(_TEXTS)
        ],
    },
    "notion": {
        "integration": [{"token": "ntn_" + "s" * 46, "name": "helper", "bot_id": NOTION_USER}],
        "page": [
            {
                **_notion_head("page", PAGE, {"type": "workspace", "workspace": True}),
                "cover": None,
                "icon": None,
                "is_locked": False,
                "properties": {"title": {"id": "title", "type": "title", "title": _rich("Shoot day")}},
                "url": f"https://www.notion.so/Shoot-day-{PAGE.replace('-', '')}",
                "public_url": None,
            }
        ],
        "block": [_block(i + 1, text) for i, text in enumerate(_TEXTS)],
    },
    "xiaohongshu": {
        "session": [
            {"cookie_path": "cookies.json", "logged_in": True, "nickname": "灯笼", "userId": "5f3c00000000000001008e4d"}
        ],
        "user": [{"userId": "5f3c00000000000001008e4d", "basicInfo": {"nickname": "灯笼"}}],
        "note": [
            {
                "noteId": NOTE,
                "xsecToken": NOTE_TOKEN,
                "title": "片场的一天",
                "desc": "五点起床",
                "type": "normal",
                "time": _HOUR_AGO * 1000,
                "user": {"userId": "61a700000000000001000b2c", "nickname": "阿玛"},
                "interactInfo": {"liked": False, "likedCount": "12", "commentCount": "0", "collectedCount": "3"},
            }
        ],
    },
}
"""`{app: {entity: [objects]}}`, as it goes into a session."""

WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "lark": (
        "im_v1_message_create",
        {
            "params": {"receive_id_type": "chat_id"},
            "data": {"receive_id": CHAT, "msg_type": "text", "content": '{"text":"On my way."}'},
        },
    ),
    "slack": ("slack_post_message", {"channel_id": "C0GENERAL1", "text": "On my way."}),
    "notion": ("notion_append_content", {"block_id": PAGE, "items": [{"type": "paragraph", "text": "On my way."}]}),
    "xiaohongshu": (
        "post_comment_to_feed",
        {"feed_id": NOTE, "xsec_token": NOTE_TOKEN, "content": "好喜欢"},
    ),
}
"""One creating call of each app."""

READS: dict[str, tuple[str, dict[str, Any]]] = {
    "lark": (
        "im_v1_message_list",
        {
            "params": {
                "container_id_type": "chat",
                "container_id": CHAT,
                "sort_type": "ByCreateTimeDesc",
                "page_size": 3,
            }
        },
    ),
    "slack": ("slack_get_channel_history", {"channel_id": "C0GENERAL1", "limit": 3}),
    "notion": ("notion_retrieve_block_children", {"block_id": PAGE, "page_size": 10}),
    "xiaohongshu": ("get_feed_detail", {"feed_id": NOTE, "xsec_token": NOTE_TOKEN}),
}
"""One reading call of each app, which shows what the creating one made."""
