"""A browser controlled by the Playwright server, its recordings, and expected responses.

It has no accounts: its pages belong to the session. Files that it reads and writes are on the session's disk.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.browsing import MEANING as _BROWSING
from soundstage.contexts.engine.browsing import browsing
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("playwright", disk=True, library=True, web=True)
browsing(TABLES)

# A recording of tool calls. `actions` and `startTime` may be missing in a state that only names the session; `active` marks the
# recording to which calls are appended. Times are in milliseconds since 1970.
CODEGEN_SESSION = TABLES.entity(
    "codegen_session",
    Column("sessionId", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("actions", Json, info=shape([{"toolName": str, "parameters": dict, "timestamp": int}])),
    Column("startTime", Integer),
    Column("endTime", Integer),
    Column("options", Json, info=shape({"outputPath": str, "testNamePrefix": object, "includeComments": object})),
    Column("active", Flag),
)

# An expected response since `since`: the first one whose URL matches `url`.
RESPONSE_WAIT = TABLES.entity(
    "response_wait",
    Column("id", Text, primary_key=True),
    Column("url", Text),
    Column("since", Integer),
    Column("response", Json, info=shape({"url": str, "status": int, "body": str})),
)

MEANING = replace(
    _BROWSING,
    automatic={
        **_BROWSING.automatic,
        "codegen_session": frozenset({"startTime", "endTime"}),
        "response_wait": frozenset({"since", "response"}),
    },
)
