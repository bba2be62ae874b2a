"""The incoming feed: pending messages that have settled go as lines into a file.

It runs beside the calls, so whatever it would have done until a call is done at the beginning of that (`catch_up`).
Source: telegram_mcp/tools/events.py (_feed_loop, _start_feed, _maybe_autostart_feed, incoming_feed_state)
"""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import dirname
from shlex import quote
from typing import Any

from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.telegram.rules import pending
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server
from soundstage.kernels.telegram.rules.text import one_line

SETTLE_MS = 6000
"""How long a chat is quiet before its burst counts as complete, unless somebody says otherwise."""

_DEFAULT_FILE = "/srv/telegram-mcp/incoming_feed.jsonl"
_ON = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True)
class Feed:
    """`was_started` is whether it has ever run, after which it does not start by itself."""

    is_on: bool = False
    settle_ms: int = SETTLE_MS
    was_started: bool = False


def of(server: Server) -> Feed:
    rows = server.mine.list("incoming_feed")
    row = next((row for row in rows if row["enabled"]), rows[0] if rows else None)
    if row is None:
        return Feed()
    return Feed(bool(row["enabled"]), _settle_ms(row.get("settle_ms")), was_started=True)


def state(server: Server) -> str:
    """The JSON that tells of the feed, and how to watch its file."""
    feed, path = of(server), _path(server)
    watch = f"tail -n 0 -F {quote(path)}"
    told: dict[str, Any] = {
        "enabled": feed.is_on,
        "feed_file": path,
        "settle_ms": feed.settle_ms,
        "watch_command": watch,
        "watch_command_for_one_chat": f"{watch} | grep --line-buffered '\"chat_id\": <ID>'",
        "autostart_pending": not feed.was_started and _starts_by_itself(server),
    }
    return one_line(told)


def turn(server: Server, *, on: bool, settle_ms: int) -> None:
    """Start or stop the feed."""
    for row in server.mine.list("incoming_feed"):
        server.mine.delete("incoming_feed", row["enabled"])
    server.mine.create("incoming_feed", {"enabled": on}, {"settle_ms": settle_ms})


def touch(server: Server) -> None:
    """Make the file that the feed writes, where it is not there yet. Only the folder of the usual file is made too.

    Raises:
        Failed: where it cannot be made.
    """
    disk, path = server.context.disk, _path(server)
    try:
        entry = disk.stat(path)
        if entry is None:
            if path != _DEFAULT_FILE and disk.stat(dirname(path)) is None:
                raise Failed("FileNotFoundError")
            disk.write(path, b"")
        elif entry.kind != "file":
            raise Failed("IsADirectoryError")
    except DiskError as error:
        raise Failed("OSError", str(error)) from None


def catch_up(server: Server, later_ms: int = 0) -> int | None:
    """Let the feed write what has settled so many milliseconds after the call.

    Returns how long after the call it has something to write again; None where it has not, as things stand.
    """
    _start_by_itself(server)
    feed = of(server)
    if not feed.is_on:
        return None
    moments = []
    for burst in pending.bursts(server):
        if burst.last_ms + later_ms < feed.settle_ms:
            moments.append(feed.settle_ms - burst.last_ms)
            continue
        at = round(server.context.now().timestamp() + later_ms / 1000, 2)
        if _append(server, one_line({**burst.summary(), "ts": at}) + "\n"):
            pending.take(server, burst)
    return min(moments, default=None)


def _start_by_itself(server: Server) -> None:
    """Where the server is told so, the first message that comes in starts the feed, if its file can be made."""
    if of(server).was_started or not _starts_by_itself(server) or not pending.bursts(server):
        return
    try:
        touch(server)
    except Failed:
        return
    turn(server, on=True, settle_ms=SETTLE_MS)


def _append(server: Server, line: str) -> bool:
    """Write a line; False where the file cannot be written, so that the messages stay pending."""
    try:
        touch(server)
        disk, path = server.context.disk, _path(server)
        disk.write(path, disk.read(path) + line.encode())
    except (DiskError, Failed):
        return False
    return True


def _path(server: Server) -> str:
    """TELEGRAM_EVENT_FEED_FILE, or the usual file."""
    return str((server.context.get("setting", "TELEGRAM_EVENT_FEED_FILE") or {}).get("value") or _DEFAULT_FILE)


def _starts_by_itself(server: Server) -> bool:
    """TELEGRAM_EVENT_FEED, which is off unless it is set."""
    setting = server.context.get("setting", "TELEGRAM_EVENT_FEED") or {}
    return str(setting.get("value") or "").strip().lower() in _ON


def _settle_ms(value: int | None) -> int:
    return SETTLE_MS if value is None else int(value)
