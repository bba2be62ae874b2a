"""Gmail's entities, with the field names of its API (v1).

A context may contain mailboxes of several accounts. Rows of the state's own account have no `mailbox`; rows of other accounts
have the address there. A thread has no row: it consists of the messages with the same `threadId`.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Json, id_format
from soundstage.contexts.engine.shapes import Shape, shape

TABLES = AppTables("gmail", disk=True)

_HEADERS = [{"name": str, "value": str}]
_BODY = {"size": int, "data": str, "attachmentId": str}
_PART: Shape = {
    **dict.fromkeys(("mimeType", "filename"), str),
    "headers": _HEADERS,
    "body": _BODY,
    "parts": [lambda: _PART],
}
_CRITERIA = {
    **dict.fromkeys(("from", "to", "subject", "query", "negatedQuery", "sizeComparison"), str),
    **dict.fromkeys(("hasAttachment", "excludeChats"), bool),
    "size": float,
}

# The accounts with a mailbox. `scopes` are the scopes of the login (by default all). `name` is the sender name, and `timeZone`
# the time zone (by default UTC). `forwardingAddresses` are confirmed addresses; without the list, any address is allowed.
ACCOUNT = TABLES.entity(
    "account",
    Column("emailAddress", Text, primary_key=True),
    Column("name", Text),
    Column("scopes", Json, info=shape([str])),
    Column("timeZone", Text),
    Column("forwardingAddresses", Json, info=shape([str])),
)

# The server's credentials.json: the login of the state's own account. The default is the first account.
CREDENTIALS = TABLES.entity("credentials", Column("emailAddress", Text, primary_key=True))

# Settings of the server's machine: `cwd`, the default folder of downloads.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

LABEL = TABLES.entity(
    "label",
    Column("id", Text, primary_key=True),
    Column("mailbox", Text),
    Column("name", Text),
    Column("type", Text),
    Column("messageListVisibility", Text),
    Column("labelListVisibility", Text),
    Column("color", Json, info=shape({"textColor": str, "backgroundColor": str})),
)

MESSAGE = TABLES.entity(
    "message",
    Column("id", Text, primary_key=True, info=id_format("19{hex:14}")),
    Column("mailbox", Text),
    Column("threadId", Text),
    Column("labelIds", Json, info=shape([str])),
    Column("snippet", Text),
    Column("internalDate", Text),
    Column("sizeEstimate", Integer),
    Column("historyId", Text),
    Column("payload", Json, info=shape(_PART)),
)

DRAFT = TABLES.entity(
    "draft",
    Column("id", Text, primary_key=True, info=id_format("r{digits:19}")),
    Column("mailbox", Text),
    Column("message", Json, info=shape({"id": str, "threadId": str, "labelIds": [str]})),
)

ATTACHMENT = TABLES.entity(
    "attachment",
    Column("attachmentId", Text, primary_key=True, info=id_format("ANGjdJ{base64url:44}")),
    Column("messageId", Text),
    Column("filename", Text),
    Column("mimeType", Text),
    Column("size", Integer),
    Column("data", Text),
    parents={"message": "messageId"},
)

FILTER = TABLES.entity(
    "filter",
    Column("id", Text, primary_key=True, info=id_format("ANe1Bm{base64url:30}")),
    Column("mailbox", Text),
    Column("criteria", Json, info=shape(_CRITERIA)),
    Column("action", Json, info=shape({"addLabelIds": [str], "removeLabelIds": [str], "forward": str})),
)


def _headers(row: dict[str, object], *names: str) -> str:
    payload = row.get("payload")
    headers = payload.get("headers") if isinstance(payload, dict) else None
    return "\n".join(str(h.get("value", "")) for h in headers or () if str(h.get("name", "")).lower() in names)


MEANING = Meaning(
    automatic={
        "message": frozenset({"historyId", "internalDate", "sizeEstimate", "snippet"}),
        "draft": frozenset({"message"}),
    },
    outward=frozenset({"message"}),
    text={
        "message": lambda row: f"{_headers(row, 'subject')}\n{row.get('snippet') or ''}",
        "label": lambda row: row.get("name") or "",
        "attachment": lambda row: row.get("filename") or "",
    },
)
