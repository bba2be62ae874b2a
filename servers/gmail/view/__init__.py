"""The view of Gmail: labels, the threads of a label or a search, and a thread's messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.mail.addresses import parse_list
from soundstage.kernels.engines.mail.html import to_text
from soundstage.kernels.gmail.rules import labels, messages, search
from soundstage.kernels.gmail.rules.mailbox import Mailbox, everybody
from soundstage.servers.view import Query, View

_MOST_THREADS = 50
_MOST_MAILS = 100
_PLACES = {
    "INBOX": ("📥", "Inbox"),
    "STARRED": ("⭐", "Starred"),
    "IMPORTANT": ("🔖", "Important"),
    "SENT": ("📤", "Sent"),
    "DRAFT": ("📝", "Drafts"),
    "SPAM": ("🚫", "Spam"),
    "TRASH": ("🗑", "Bin"),
    "CATEGORY_PROMOTIONS": ("🏷", "Promotions"),
    "CATEGORY_UPDATES": ("ℹ️", "Updates"),
    "CATEGORY_SOCIAL": ("👥", "Social"),
    "CATEGORY_FORUMS": ("💬", "Forums"),
}
_UNSHOWN = frozenset({*_PLACES, "UNREAD", "CHAT", "CATEGORY_PERSONAL"})


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show a mailbox.

    The query's `box` is the mailbox's address (by default the state's own), `label` the open label, `q` a search, `thread` the
    open thread, and `page` the number of preceding pages of threads.
    """
    boxes = everybody(context)
    box = next((b for b in boxes if b.owner == (query.get("box") or None)), boxes[0])
    names = {label["id"]: label["name"] for label in labels.listed(box)}
    requested, label = query.get("q", ""), query.get("label") or "INBOX"
    result = search.search_messages(box, requested, now) if requested else _labelled(box, label)
    threads = _threads(result)
    page = int(query["page"]) if query.get("page", "").isdecimal() and len(query["page"]) < 6 else 0
    shown = threads[page * _MOST_THREADS : (page + 1) * _MOST_THREADS]
    opened = _of_thread(box, query["thread"]) if query.get("thread") else None
    everything = box.newest()
    data: dict[str, Any] = {
        "box": box.owner or "",
        "address": box.address,
        "boxes": [{"box": b.owner or "", "address": b.address} for b in boxes if b is box or b.rows("message")],
        "places": _places(everything, label if not requested else ""),
        "labels": _labels(box, everything, label if not requested else ""),
        "title": f"Search: {requested}" if requested else _PLACES.get(label, ("", names.get(label, label)))[1],
        "asked": requested,
        "label": label,
        "threads": [_line(box, mails, names) for mails in shown],
        "page": page,
        "more": len(threads) > (page + 1) * _MOST_THREADS,
        "thread": None if opened is None else [_mail(box, mail) for mail in opened],
        "subject": messages.header(opened[0], "Subject") if opened else "",
        "chips": _chips(opened or [], names),
    }
    return View("mailbox.html.jinja", data, box.zone)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a message in its thread, a draft or a label."""
    box = {"box": str(value["mailbox"])} if value.get("mailbox") else {}
    match entity:
        case "message":
            return {**box, "thread": str(value.get("threadId"))}
        case "draft":
            current = value.get("message") or {}
            return {**box, "label": "DRAFT", "thread": str(current.get("threadId"))}
        case "label":
            return {**box, "label": str(value.get("id"))}
        case _:
            return None


def _labelled(box: Mailbox, label: str) -> list[Object]:
    hidden = {"SPAM", "TRASH"} - {label}
    return [m for m in box.newest() if label in messages.labels(m) and not hidden & set(messages.labels(m))]


def _threads(results: list[Object]) -> list[list[Object]]:
    """Group messages by thread, the thread with the newest message first."""
    threads: dict[str, list[Object]] = {}
    for message in results:
        threads.setdefault(str(message.get("threadId")), []).append(message)
    return list(threads.values())


def _of_thread(box: Mailbox, thread_id: str) -> list[Object]:
    where = {"mailbox": box.owner, "threadId": thread_id}
    rows = box.context.list("message", where, limit=_MOST_MAILS)
    return sorted(rows, key=lambda m: int(m.get("internalDate") or 0))


def _places(everything: list[Object], opened: str) -> list[dict[str, Any]]:
    return [
        {"id": place, "mark": mark, "name": name, "unread": _unread(everything, place), "open": place == opened}
        for place, (mark, name) in _PLACES.items()
    ]


def _labels(box: Mailbox, everything: list[Object], opened: str) -> list[dict[str, Any]]:
    """Return the user's visible labels, sorted by name."""
    rows = []
    there = {row.get("name") for row in box.rows("label")}
    for row in box.rows("label"):
        unread = _unread(everything, row["id"])
        listed = row.get("labelListVisibility")
        if row["id"] not in labels.SYSTEM and listed != "labelHide" and (unread or listed != "labelShowIfUnread"):
            name = str(row.get("name") or row["id"])
            depth = min(name.count("/"), 4) if name.rpartition("/")[0] in there else 0
            shown = {"id": row["id"], "name": name.rpartition("/")[2] if depth else name, "whole": name, "depth": depth}
            rows.append({**shown, "unread": unread, "open": row["id"] == opened})
    return sorted(rows, key=lambda r: str(r["whole"]).lower())


def _unread(everything: list[Object], label: str) -> int:
    return sum(label in messages.labels(m) and "UNREAD" in messages.labels(m) for m in everything)


def _line(box: Mailbox, mails: list[Object], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a thread's line in the list; `mails` are its matching messages, newest first."""
    newest = mails[0]
    people = list(dict.fromkeys(_person(box, messages.header(m, "From")) for m in reversed(mails)))
    return {
        "thread": newest.get("threadId"),
        "ids": [m["id"] for m in mails],
        "people": ", ".join(p for p in people if p) or "(nobody)",
        "count": len(mails),
        "subject": messages.header(newest, "Subject") or "(no subject)",
        "snippet": _plain(newest.get("snippet")),
        "at": messages.moment(newest).astimezone(box.zone),
        "unread": any("UNREAD" in messages.labels(m) for m in mails),
        "starred": any("STARRED" in messages.labels(m) for m in mails),
        "files": any(messages.attachments(m) for m in mails),
        "chips": _chips(mails, names),
    }


def _mail(box: Mailbox, mail: Object) -> dict[str, Any]:
    plain, html = messages.contents(mail)
    return {
        "id": mail["id"],
        "sender": _person(box, messages.header(mail, "From")) or "(nobody)",
        "from": messages.header(mail, "From"),
        "to": messages.header(mail, "To"),
        "cc": messages.header(mail, "Cc"),
        "at": messages.moment(mail).astimezone(box.zone),
        "text": plain or to_text(html),
        "unread": "UNREAD" in messages.labels(mail),
        "draft": "DRAFT" in messages.labels(mail),
        "files": [{"name": f.filename, "kb": (f.size + 512) // 1024} for f in messages.attachments(mail)],
    }


def _chips(mails: list[Object], names: Mapping[str, str]) -> list[str]:
    current = dict.fromkeys(label for m in mails for label in messages.labels(m) if label not in _UNSHOWN)
    return [names.get(label, label) for label in current]


def _person(box: Mailbox, text: str) -> str:
    result = parse_list(text)
    if not result:
        return text
    return "me" if result[0].address.lower() == box.address.lower() else result[0].name or result[0].address


def _plain(snippet: object) -> str:
    text = str(snippet or "")
    for sign, escape in (("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"), ("&", "&amp;")):
        text = text.replace(escape, sign)
    return text
