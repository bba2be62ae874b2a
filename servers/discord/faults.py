"""Discord's faults: errors of the API as discord.py words them, and drifts caused by other people.

discord.py retries rate-limited requests five times; these replies appear when it gives up.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.snowflakes import created_at, new_snowflake
from soundstage.kernels.errors import ErrorKind
from soundstage.servers.faults import Hit, any_row, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "discord.py's HTTPClient.request after five tries; https://github.com/discord/discord-api-docs (Rate Limits)",
    "unavailable": "discord.py's DiscordServerError over the answer of Discord's proxy",
    "server_error": "discord.py's DiscordServerError; https://github.com/discord/discord-api-docs (HTTP response codes)",
    "auth_expired": "discord.py's HTTPException with Discord's body for a token that is no longer good",
    "timeout": "aiohttp's ClientConnectorError, which discord.py lets through",
}
_WORDS = (
    "Anybody around tonight?",
    "I put the pictures in the other channel.",
    "Same time next week, I suppose.",
)


def rate_limit(hit: Hit) -> Answer:
    """Word a 429 response."""
    return _http(hit, 429, "Too Many Requests", "You are being rate limited.", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Word a 503 response."""
    text = "upstream connect error or disconnect/reset before headers. reset reason: overflow"
    return _http(hit, 503, "Service Unavailable", text, "unavailable")


def server_error(hit: Hit) -> Answer:
    """Word a 500 response."""
    return _http(hit, 500, "Internal Server Error", "500: Internal Server Error", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Word a 401 response for an expired token."""
    return _http(hit, 401, "Unauthorized", "401: Unauthorized", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Word a connection failure."""
    return said(hit, "Cannot connect to host discord.com:443 ssl:default [Connect call failed]", "unavailable")


def message_arrives(context: AppContext, random: Random) -> bool:
    """Add a message of an earlier author to the same channel."""
    last = any_row(context, "message", random)
    if last is None:
        return False
    made = new_snowflake(context)
    place_fields: dict[str, str] = {name: last[name] for name in ("channel_id", "author_id") if name in last}
    said_now = {"type": 0, "content": random.choice(_WORDS), "timestamp": created_at(made), "reactions": []}
    context.create("message", {"id": made, **place_fields, **said_now})
    return True


def message_edited(context: AppContext, random: Random) -> bool:
    """Edit a message on behalf of its author."""
    old = any_row(context, "message", random)
    if old is None:
        return False
    edited = {"content": f"{old.get('content', '')} (edit: tomorrow)", "edited_timestamp": context.now().isoformat()}
    context.update("message", old["id"], edited)
    return True


DRIFTS = {"message_arrives": message_arrives, "message_edited": message_edited}


def _http(hit: Hit, status: int, reason: str, text: str, kind: ErrorKind) -> Answer:
    return said(hit, f"{status} {reason} (error code: 0): {text}", kind)
