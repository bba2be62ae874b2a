"""Example content for the apps' pages. The names are parameters, so that tests can use hostile ones."""

from __future__ import annotations

from typing import Any


def state(text: str = "Hello", name: str = "Somebody") -> dict[str, Any]:
    """Return objects of every app, with `text` in every text field and `name` in every name field."""
    rich = [
        {"type": "text", "text": {"content": text, "link": None}, "plain_text": text, "href": text, "annotations": {}}
    ]
    title = [
        {"type": "text", "text": {"content": name, "link": None}, "plain_text": name, "href": None, "annotations": {}}
    ]
    page, block, base, source = (f"00000000-0000-4000-8000-00000000000{i}" for i in range(1, 5))
    kinds = ("paragraph", "heading_1", "to_do", "toggle", "quote", "callout", "code", "bulleted_list_item")
    return {
        "lark": {
            "user": [{"open_id": "ou_1", "name": name}],
            "chat": [{"chat_id": "oc_1", "name": name, "description": text, "chat_mode": "group"}],
            "message": [
                {
                    "message_id": "om_1", "chat_id": "oc_1", "msg_type": "post", "create_time": "1795136400000",
                    "sender": {"id": "ou_1", "sender_type": "user"},
                    "body": {"content": _json({"title": name, "content": [[{"tag": "a", "text": text, "href": text}]]})},
                },
                {
                    "message_id": "om_2", "chat_id": "oc_1", "msg_type": "text", "create_time": "1795136401000",
                    "parent_id": "om_1", "sender": {"id": name, "sender_type": "user"},
                    "body": {"content": _json({"text": text})},
                },
                {"message_id": "om_3", "chat_id": "oc_1", "msg_type": "text", "create_time": text, "body": {"content": text}},
            ],
            "calendar": [{"calendar_id": "cal_1", "summary": name, "type": "shared"}],
            "calendar_event": [
                {
                    "event_id": "ev_1", "organizer_calendar_id": "cal_1", "summary": name, "status": "confirmed",
                    "start_time": {"timestamp": "1795140000"}, "end_time": {"timestamp": "1795143600"},
                    "location": {"name": text},
                }
            ],
        },
        "slack": {
            "user": [{"id": "U1", "name": name, "real_name": name, "profile": {"display_name": name}}],
            "channel": [{"id": "C1", "name": name, "is_channel": True, "topic": {"value": text}}],
            "message": [
                {
                    "channel": "C1", "ts": "1795136400.000100", "user": "U1", "text": text, "thread_ts": "1795136400.000100",
                    "reply_count": 1, "reactions": [{"name": name, "count": 1, "users": ["U1"]}],
                },
                {"channel": "C1", "ts": "1795136401.000100", "user": "U1", "text": text, "thread_ts": "1795136400.000100"},
            ],
        },
        "xiaohongshu": {
            "note": [
                {
                    "noteId": "n1", "title": name, "desc": text, "type": "normal", "time": 1795136400000,
                    "user": {"nickname": name}, "interactInfo": {"likedCount": "3"}, "tagList": [{"name": name}],
                    "imageList": [{"urlDefault": "http://example.test/a.jpg"}],
                }
            ],
            "comment": [{"id": "c1", "noteId": "n1", "content": text, "userInfo": {"nickname": name}}],
        },
        "puppeteer": {"page": [{"url": "http://ferry.test/", "html": f"<title>{name}</title><p>{text}</p><input value=x>"}]},
        "disk": {"file": [{"path": "/srv/workspace/notes.txt", "text": text}, {"path": f"/srv/workspace/{name}", "text": text}]},
        "notion": {
            "page": [
                {
                    "object": "page", "id": page, "parent": {"type": "workspace", "workspace": True},
                    "properties": {"title": {"id": "title", "type": "title", "title": title}},
                    "icon": {"type": "emoji", "emoji": name}, "in_trash": False,
                }
            ],
            "block": [
                {
                    "object": "block", "id": f"{block[:-2]}{i:02d}", "type": kind, kind: {"rich_text": rich}, "in_trash": False,
                    "parent": {"type": "page_id", "page_id": page},
                }
                for i, kind in enumerate(kinds, 10)
            ],
            "database": [{"object": "database", "id": base, "title": title, "parent": {"type": "page_id", "page_id": page}}],
            "data_source": [
                {
                    "object": "data_source", "id": source, "title": title,
                    "parent": {"type": "database_id", "database_id": base},
                    "properties": {name: {"id": "title", "type": "title", "title": {}, "name": name}},
                }
            ],
        },
    }  # fmt: skip


def _json(value: object) -> str:
    import json

    return json.dumps(value)
