"""CSV as Go's encoding/csv writes it, and messages as its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules.blocks import has_image
from soundstage.kernels.slack.rules.text import message_text
from soundstage.kernels.slack.rules.timestamps import message_time

_MESSAGE_COLUMNS = (
    "MsgID", "UserID", "UserName", "RealName", "Channel", "ThreadTs", "Text", "Time", "Permalink", "Reactions",
    "BotName", "FileCount", "AttachmentIDs", "HasMedia", "Cursor",
)  # fmt: skip
_SPOKEN = (None, "", "bot_message", "thread_broadcast")


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a header and rows, each ended by a line feed."""
    return "".join(",".join(_cell(value) for value in row) + "\n" for row in (columns, *rows))


def messages_csv(rows: list[list[str]], cursor: str = "") -> str:
    """Format rows of messages, with the cursor to the next page in the last one."""
    if rows:
        rows[-1][-1] = cursor
    return csv_text(_MESSAGE_COLUMNS, rows)


def message_rows(
    context: AppContext, messages: Iterable[Object], channel: str, *, with_activity: bool = False
) -> list[list[str]]:
    """Return messages of a channel (shown as `channel`) as rows.

    Joins, topic changes and other activity are omitted unless requested.
    """
    rows: list[list[str]] = []
    for message in messages:
        subtype, time = message.get("subtype"), message_time(message["ts"])
        if time is None or (subtype not in _SPOKEN and not with_activity):
            continue
        files = message.get("files") or []
        name, real_name = author(context, message, by_username=subtype == "bot_message")
        row = {
            "MsgID": message["ts"],
            "UserID": message.get("user", ""),
            "UserName": name,
            "RealName": real_name,
            "Channel": channel,
            "ThreadTs": message.get("thread_ts", ""),
            "Text": message_text(message),
            "Time": time,
            "Reactions": "|".join(f"{r['name']}:{r.get('count', 0)}" for r in message.get("reactions") or []),
            "BotName": (message.get("bot_profile") or {}).get("name", ""),
            "FileCount": str(len(files)),
            "AttachmentIDs": ", ".join(f"{f['id']} ({f['name']})" if f.get("name") else f["id"] for f in files),
            "HasMedia": "true" if files or has_image(message.get("blocks")) else "false",
        }
        rows.append([row.get(column, "") for column in _MESSAGE_COLUMNS])
    return rows


def hit_row(context: AppContext, message: Object, channel: str, permalink: str) -> list[str] | None:
    """Return a search hit as a row, or None if its timestamp is invalid.

    The search API returns neither reactions nor files.
    """
    time = message_time(message["ts"])
    if time is None:
        return None
    name, real_name = author(context, message, by_username=not message.get("user"))
    _, _, thread_ts = permalink.partition("?thread_ts=")
    row = {
        "MsgID": message["ts"],
        "UserID": message.get("user", ""),
        "UserName": name,
        "RealName": real_name,
        "Channel": channel,
        "ThreadTs": thread_ts,
        "Text": message_text(message),
        "Time": time,
        "Permalink": permalink,
        "FileCount": "0",
        "HasMedia": "true" if has_image(message.get("blocks")) else "false",
    }
    return [row.get(column, "") for column in _MESSAGE_COLUMNS]


def author(context: AppContext, message: Object, *, by_username: bool) -> tuple[str, str]:
    """Return the name and real name of a message's author.

    They are the user's, else the user id or, for bots, the given username.
    """
    user_id = message.get("user") or ""
    if user := context.get("user", user_id):
        return user.get("name", ""), user.get("real_name", "")
    name = message.get("username", "") if by_username else user_id
    return name, name


def _cell(value: str) -> str:
    needs_quotes = any(c in value for c in ',"\r\n') or value[:1].isspace() or value == "\\."
    return '"' + value.replace('"', '""') + '"' if needs_quotes else value
