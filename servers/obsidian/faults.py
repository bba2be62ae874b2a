"""Failures around the plugin in mcp-obsidian's words, and the owner's concurrent changes of the vault.

The plugin runs on the same machine: it has neither rate limits nor logins, only a key. Failures beyond its own errors are those
of a proxy in front of it or of the client's `requests`.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.obsidian.rules.errors import UNAUTHORIZED, ObsidianError, RestError
from soundstage.kernels.obsidian.rules.vault import is_note, text_of, times
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "mcp-obsidian's `_safe_call` on an answer whose body is not JSON (429 of a proxy; the plugin has no limit)",
    "unavailable": "requests' ConnectionError where Obsidian is closed: nothing listens at 27124",
    "server_error": "the plugin's error handler (`errorHandler`, 50000)",
    "auth_expired": "recorded reply of the real plugin to a key that it does not know (40101)",
    "timeout": "requests' ReadTimeout after the client's six seconds, as seen where the plugin's handler dies",
}
_WHERE = "HTTPSConnectionPool(host='127.0.0.1', port=27124)"
_LINES = (
    "- [ ] call back about this",
    "Later: check the numbers again.",
    "See also the note of last week.",
)


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return worded(hit, ObsidianError("rate_limited", "Error -1: <unknown>"))


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    refused = "Failed to establish a new connection: [Errno 111] Connection refused"
    connection = "HTTPSConnection(host='127.0.0.1', port=27124)"
    text = f'Max retries exceeded with url: /vault/ (Caused by NewConnectionError("{connection}: {refused}"))'
    return worded(hit, ObsidianError("unavailable", f"Request failed: {_WHERE}: {text}"))


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return worded(
        hit, ObsidianError("internal", "Error 50000: Internal Server Error\nENOSPC: no space left on device, write")
    )


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return worded(hit, RestError(UNAUTHORIZED))


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return worded(hit, ObsidianError("unavailable", f"Request failed: {_WHERE}: Read timed out. (read timeout=6)"))


def note_is_edited(context: AppContext, random: Random) -> bool:
    """The vault's owner appends a line to a note."""
    note = any_row(context, "file", random)
    if note is None or not is_note(note["path"]):
        return False
    stat = {"ctime": times(context, note)[0], "mtime": to_ms(context.now())}
    content = f"{text_of(note).rstrip()}\n\n{random.choice(_LINES)}\n"
    context.update("file", note["path"], {"content": content, "stat": stat})
    return True


def note_is_moved(context: AppContext, random: Random) -> bool:
    """The vault's owner moves a note."""
    note = any_row(context, "file", random)
    if note is None or not is_note(note["path"]):
        return False
    place = f"Archive/{note['path'].split('/')[-1]}"
    if context.get("file", place) is not None:
        return False
    context.delete("file", note["path"])
    context.create("file", {**note, "path": place})
    return True


DRIFTS = {"note_is_edited": note_is_edited, "note_is_moved": note_is_moved}
