"""The `get_full_user` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import clean, clean_name, json_line
from soundstage.kernels.types import Arguments

_LONGEST_BIO = 1024


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a user with the full profile.

    `username` is not validated: a text of digits is a phone number.
    """
    client = server.client()
    person = peers.as_user(resolve.entity(client, arguments["username"]))
    record = {
        "id": person["id"],
        "first_name": clean_name(person.get("first_name")),
        "last_name": clean_name(person.get("last_name")),
        "username": person.get("username"),
        "phone": person.get("phone"),
        "bio": clean(person.get("about"), _LONGEST_BIO),
        "personal_channel": _channel(client, person),
        "birthday": _birthday(person),
        **{name: bool(person.get(name)) for name in ("bot", "verified", "premium")},
        "common_chats_count": 0 if person["id"] == client.id else len(chats.shared_with(client, person)),
    }
    return json_line(record)


def _channel(client: Client, person: Object) -> str | None:
    """Return a user's personal channel: its public link, or its bare id."""
    marked = person.get("personal_channel_id")
    if marked is None:
        return None
    try:
        username = resolve.get_entity(client, marked).get("username")
    except Failed:
        username = None
    return f"https://t.me/{username}" if username else str(peers.bare_id(marked))


def _birthday(person: Object) -> str | None:
    born = person.get("birthday") or {}
    day, month, year = (born.get(name) for name in ("day", "month", "year"))
    if not day or not month:
        return None
    return f"{year:04d}-{month:02d}-{day:02d}" if year else f"--{month:02d}-{day:02d}"
