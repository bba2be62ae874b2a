"""The view of 163 Mail: inbox and sent messages as conversations, search, and the server's account."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules import dates
from soundstage.kernels.engines.mail.addresses import parse_list
from soundstage.kernels.engines.mail.html import to_text
from soundstage.kernels.engines.mail.threads import plain_subject
from soundstage.servers.view import Query, View

_MOST = 200
_FOLDERS = {"inbox": ("📥", "收件箱"), "sent": ("📤", "已发送")}


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show a mailbox.

    The query's `box` is the mailbox's address, `folder` inbox or sent, `q` a search, and `thread` a conversation's subject.
    """
    account = context.first("account", {"holder": None}) or {}
    boxes = [str(row["address"]) for row in context.list("mailbox")]
    own = account.get("user")
    box = query.get("box") or (own if own in boxes else next(iter(boxes), ""))
    requested = query.get("q", "")
    folder = query.get("folder") if query.get("folder") in _FOLDERS else "inbox"
    where = {"mailbox": box} if boxes else None
    received = [_received(context, row) for row in context.list("email", where)]
    sent = [_sent(context, row) for row in context.list("sent", where)]
    everything = sorted((*received, *sent), key=lambda m: m["at"], reverse=True)
    listed = (
        [m for m in everything if _has(m, requested)] if requested else [m for m in everything if m["folder"] == folder]
    )
    thread = query.get("thread")
    opened = None if thread is None else [m for m in reversed(everything) if m["key"] == thread][:_MOST]
    data: dict[str, Any] = {
        "account": account,
        "box": box,
        "boxes": [b for b in boxes if b == box or context.count("email", {"mailbox": b})],
        "folders": [{"id": key, "mark": mark, "name": name} for key, (mark, name) in _FOLDERS.items()],
        "folder": folder,
        "asked": requested,
        "title": f"搜索：{requested}" if requested else _FOLDERS[str(folder)][1],
        "threads": _threads(listed),
        "thread": opened,
        "subject": opened[0]["subject"] if opened else "",
    }
    return View("mailbox.html.jinja", data, dates.zone(context))


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a message in its conversation."""
    if entity not in ("email", "sent"):
        return None
    box = {"box": str(value["mailbox"])} if value.get("mailbox") else {}
    return {
        **box,
        "folder": "sent" if entity == "sent" else "inbox",
        "thread": plain_subject(str(value.get("subject") or "")),
    }


def _received(context: AppContext, row: Object) -> dict[str, Any]:
    fields = {name: str(row.get(name) or "") for name in ("from", "to", "cc")}
    return {
        **_mail(context, row),
        **fields,
        "entity": "email",
        "id": row["uid"],
        "folder": "inbox",
        "who": _person(fields["from"]),
    }


def _sent(context: AppContext, row: Object) -> dict[str, Any]:
    fields = {name: ", ".join(row.get(name) or []) for name in ("to", "cc")}
    sender = str(row.get("mailbox") or "")
    result = {"entity": "sent", "id": row["messageId"], "folder": "sent", "from": sender, "who": f"→ {fields['to']}"}
    return {**_mail(context, row), **fields, **result}


def _mail(context: AppContext, row: Object) -> dict[str, Any]:
    subject = str(row.get("subject") or "")
    at = dates.parsed(str(row.get("date") or "")) or datetime.min.replace(tzinfo=UTC)
    return {
        "subject": subject or "(无主题)",
        "key": plain_subject(subject),
        "at": at.astimezone(dates.zone(context)) if at.year > 1 else at,
        "text": str(row.get("text") or "") or to_text(str(row.get("html") or "")),
        "files": [str(f.get("filename") or "未命名") for f in row.get("attachments") or []],
    }


def _threads(mails: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group messages by subject, the conversation with the newest message first."""
    result: dict[str, list[dict[str, Any]]] = {}
    for mail in mails:
        result.setdefault(mail["key"], []).append(mail)
    lines = []
    for key, current in list(result.items())[:_MOST]:
        newest = current[0]
        people = ", ".join(dict.fromkeys(m["who"] for m in reversed(current) if m["who"]))
        changes = [(m["entity"], m["id"]) for m in current]
        files = any(m["files"] for m in current)
        snippet = " ".join(newest["text"].split())
        shown = {name: newest[name] for name in ("subject", "at")}
        lines.append(
            {
                **shown,
                "key": key,
                "people": people,
                "count": len(current),
                "ids": changes,
                "files": files,
                "snippet": snippet,
            }
        )
    return lines


def _has(mail: dict[str, Any], query: str) -> bool:
    text = " ".join((mail["subject"], mail["from"], mail["to"], mail["text"], *mail["files"])).lower()
    return all(word in text for word in query.lower().split())


def _person(text: str) -> str:
    result = parse_list(text)
    return (result[0].name or result[0].address) if result else text
