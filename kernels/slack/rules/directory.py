"""The korotovsky server's cache of conversations, in which it looks names up: #channel, @person, @group-message.

Archived conversations and private ones of others are not in it. Read afresh at every call, as the real server does
after a miss.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels
from soundstage.kernels.slack.rules.channels import Kind
from soundstage.kernels.slack.rules.csv_rows import csv_text
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.values import comma_separated, go_quote, go_text
from soundstage.kernels.types import Arguments

_KINDS: tuple[Kind, ...] = ("mpim", "im", "public_channel", "private_channel")
_COLUMNS = ("ID", "Name", "Topic", "Purpose", "MemberCount", "Cursor")


@dataclass(frozen=True, slots=True)
class Entry:
    """A conversation as the server shows it."""

    id: str
    name: str
    topic: str
    purpose: str
    members: int


def entries(context: AppContext, who: Identity, kinds: list[Kind], *, own: bool = False) -> list[Entry]:
    """The cache's entries of these kinds, or (`own`) those that `who` is in."""
    return [entry_of(context, who, c) for c in channels.conversations(context, who, kinds, own=own)]


def entry_of(context: AppContext, who: Identity, channel: Object) -> Entry:
    topic, purpose = _value(channel.get("topic")), _value(channel.get("purpose"))
    name = channel.get("name_normalized") or channel.get("name", "")
    members = channel.get("members") or []
    if channel.get("is_im"):
        user_id = channels.other_side(channel, who)
        user = context.get("user", user_id) or {}
        other = f"DM with {user.get('real_name', '') if user else user_id}"
        return Entry(channel["id"], f"@{user.get('name', user_id)}", "", other, 2)
    if channel.get("is_mpim"):
        if not members:
            return Entry(channel["id"], channel.get("name", ""), topic, purpose, channels.member_count(channel))
        people = ", ".join((context.get("user", m) or {}).get("real_name", m) for m in members)
        return Entry(channel["id"], f"@{name}", "", f"Group DM with {people}", len(members))
    return Entry(channel["id"], f"#{name}", topic, purpose, channels.member_count(channel))


def kinds_named(types: str) -> list[Kind]:
    """The kinds in a comma-separated argument; invalid ones are ignored, and when none is left channels are meant."""
    named: list[Kind] = [kind for name in comma_separated(types) for kind in _KINDS if kind == name]
    return named or ["public_channel", "private_channel"]


def resolve(context: AppContext, who: Identity, channel: str) -> str:
    """The id behind a name; anything that does not start with # or @ is taken for an id.

    Raises:
        Refusal: for a name that is not in the cache.
    """
    if not channel.startswith(("#", "@")):
        return channel
    for candidate in channels.conversations(context, who, list(_KINDS)):
        if entry_of(context, who, candidate).name == channel:
            return str(candidate["id"])
    raise Refusal(f"channel {go_quote(channel)} not found", "not_found")


def resolve_wrapped(context: AppContext, who: Identity, arguments: Arguments) -> str:
    """The id in `channel_id` for the tools that write something before "not found".

    Raises:
        Refusal: when it is missing, or a name that is not in the cache.
    """
    channel = go_text(arguments, "channel_id")
    if not channel:
        raise Refusal("channel_id is required")
    try:
        return resolve(context, who, channel)
    except Refusal as error:
        raise Refusal(f"failed to resolve channel: {error.message}", error.kind) from None


def as_csv(found: list[Entry], cursor: str) -> str:
    """Entries as the channel tools list them; the cursor to the next page stands in the last row."""
    rows = [[e.id, e.name, e.topic, e.purpose, str(e.members), ""] for e in found]
    if rows:
        rows[-1][-1] = cursor
    return csv_text(_COLUMNS, rows)


def _value(text: object) -> str:
    return str(text.get("value") or "") if isinstance(text, dict) else ""
