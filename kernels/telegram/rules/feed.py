"""The incoming feed, which writes settled pending messages as lines to a file.

The real feed runs in parallel with the calls; here `catch_up` performs at the start of a call what the feed would have
done. Source: telegram_mcp/tools/events.py (_feed_loop, _start_feed, _maybe_autostart_feed, incoming_feed_state)
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
from soundstage.kernels.telegram.rules.text import json_line

SETTLE_MS = 6000
"""Default time in milliseconds that a chat must be quiet until its burst counts as complete."""

_DEFAULT_FILE = "/srv/telegram-mcp/incoming_feed.jsonl"
_ON = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True)
class Feed:
    """The state of the feed; after it `was_started` once, it no longer starts automatically."""

    is_on: bool = False
    settle_ms: int = SETTLE_MS
    was_started: bool = False


def of(server: Server) -> Feed:
    """Return the state of the server's feed."""
    rows = server.own_rows.list("incoming_feed")
    row = next((row for row in rows if row["enabled"]), rows[0] if rows else None)
    if row is None:
        return Feed()
    return Feed(bool(row["enabled"]), _settle_ms(row.get("settle_ms")), was_started=True)


def state(server: Server) -> str:
    """Return the JSON that describes the feed and how to watch its file."""
    feed, path = of(server), _path(server)
    watch = f"tail -n 0 -F {quote(path)}"
    report: dict[str, Any] = {
        "enabled": feed.is_on,
        "feed_file": path,
        "settle_ms": feed.settle_ms,
        "watch_command": watch,
        "watch_command_for_one_chat": f"{watch} | grep --line-buffered '\"chat_id\": <ID>'",
        "autostart_pending": not feed.was_started and _starts_automatically(server),
    }
    return json_line(report)


def turn(server: Server, *, on: bool, settle_ms: int) -> None:
    """Start or stop the feed."""
    for row in server.own_rows.list("incoming_feed"):
        server.own_rows.delete("incoming_feed", row["enabled"])
    server.own_rows.create("incoming_feed", {"enabled": on}, {"settle_ms": settle_ms})


def touch(server: Server) -> None:
    """Create the feed's file if it does not exist; only the default file's folder is created as well.

    Raises:
        Failed: The file cannot be created.
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
    """Write the messages that have settled `later_ms` milliseconds after the call.

    Returns the milliseconds from the call to the feed's next write, or None if no message is pending.
    """
    _start_automatically(server)
    feed = of(server)
    if not feed.is_on:
        return None
    waits_ms = []
    for burst in pending.bursts(server):
        if burst.last_ms + later_ms < feed.settle_ms:
            waits_ms.append(feed.settle_ms - burst.last_ms)
            continue
        at = round(server.context.now().timestamp() + later_ms / 1000, 2)
        if _append(server, json_line({**burst.summary(), "ts": at}) + "\n"):
            pending.take(server, burst)
    return min(waits_ms, default=None)


def _start_automatically(server: Server) -> None:
    """Start the feed at the first incoming message, if the server is configured to and the file can be created."""
    if of(server).was_started or not _starts_automatically(server) or not pending.bursts(server):
        return
    try:
        touch(server)
    except Failed:
        return
    turn(server, on=True, settle_ms=SETTLE_MS)


def _append(server: Server, line: str) -> bool:
    """Append a line; return False if the file cannot be written, so that the messages stay pending."""
    try:
        touch(server)
        disk, path = server.context.disk, _path(server)
        disk.write(path, disk.read(path) + line.encode())
    except (DiskError, Failed):
        return False
    return True


def _path(server: Server) -> str:
    """Return TELEGRAM_EVENT_FEED_FILE or the default file."""
    return str((server.context.get("setting", "TELEGRAM_EVENT_FEED_FILE") or {}).get("value") or _DEFAULT_FILE)


def _starts_automatically(server: Server) -> bool:
    """Return TELEGRAM_EVENT_FEED, which is off by default."""
    setting = server.context.get("setting", "TELEGRAM_EVENT_FEED") or {}
    return str(setting.get("value") or "").strip().lower() in _ON


def _settle_ms(value: int | None) -> int:
    return SETTLE_MS if value is None else int(value)
