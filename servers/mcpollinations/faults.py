"""Failures of Pollinations: reason phrases of HTTP statuses, and errors of Node's fetch."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.mcpollinations.rules.errors import Refusal
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "HTTP 429 as the server reports it: its status text; recorded for a text",
    "unavailable": "HTTP 503 as the server reports it",
    "server_error": "HTTP 500 as the server reports it; recorded for a picture",
    "auth_expired": "HTTP 401 as the server reports it, for an expired token",
    "timeout": "undici's error when the connection comes to nothing",
}
_MESSAGES = {
    "generateImage": "generate image",
    "editImage": "edit image",
    "generateImageFromReference": "generate image from reference",
    "listImageModels": "list models",
    "respondAudio": "generate audio",
    "listTextModels": "list text models",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _of_status(hit, "rate_limited", "Too Many Requests")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _of_status(hit, "unavailable", "Service Unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _of_status(hit, "internal", "Internal Server Error")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _of_status(hit, "unauthorized", "Unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return worded(hit, Refusal("unavailable", "fetch failed"))


def picture_is_removed(context: AppContext, random: Random) -> bool:
    """A user deletes a saved file."""
    folders = [f"/srv/workspace/{name}" for name in ("mcpollinations-output", "pictures")]
    for folder in folders:
        entry = context.disk.stat(folder)
        files = (
            [e for e in context.disk.list(folder) if e.kind == "file"] if entry and entry.kind == "directory" else []
        )
        if files:
            context.disk.remove(random.choice(files).path)
            return True
    return False


DRIFTS = {"picture_is_removed": picture_is_removed}


def _of_status(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    return worded(hit, Refusal(kind, f"Failed to {_MESSAGES.get(hit.tool.name, 'generate text')}: {words}"))
