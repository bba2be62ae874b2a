"""The korotovsky server's cache of conversations, which resolves #channel, @person and @group-message.

It contains neither archived conversations nor other people's private ones. It is rebuilt at every call, as the real
server does after a miss.
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
    """A conversation as the server lists it."""

    id: str
    name: str
    topic: str
    purpose: str
    members: int


def entries(context: AppContext, who: Identity, kinds: list[Kind], *, own: bool = False) -> list[Entry]:
    """Return the cache's entries of some kinds, or only the conversations of `who` (`own`)."""
    return [entry_of(context, who, c) for c in channels.conversations(context, who, kinds, own=own)]


def entry_of(context: AppContext, who: Identity, channel: Object) -> Entry:
    """Return the entry of a conversation."""
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
    """Return the kinds in a comma-separated argument.

    Invalid kinds are ignored; if none is left, the default is all channels.
    """
    named: list[Kind] = [kind for name in comma_separated(types) for kind in _KINDS if kind == name]
    return named or ["public_channel", "private_channel"]


def resolve(context: AppContext, who: Identity, channel: str) -> str:
    """Return the id of a name; text that does not start with # or @ is already an id.

    Raises:
        Refusal: The name is not in the cache.
    """
    if not channel.startswith(("#", "@")):
        return channel
    for candidate in channels.conversations(context, who, list(_KINDS)):
        if entry_of(context, who, candidate).name == channel:
            return str(candidate["id"])
    raise Refusal(f"channel {go_quote(channel)} not found", "not_found")


def resolve_wrapped(context: AppContext, who: Identity, arguments: Arguments) -> str:
    """Return the id in `channel_id`, for tools that add a prefix to the error.

    Raises:
        Refusal: The argument is missing, or the name is not in the cache.
    """
    channel = go_text(arguments, "channel_id")
    if not channel:
        raise Refusal("channel_id is required")
    try:
        return resolve(context, who, channel)
    except Refusal as error:
        raise Refusal(f"failed to resolve channel: {error.message}", error.kind) from None


def as_csv(listed: list[Entry], cursor: str) -> str:
    """Format entries as the channel tools do, with the cursor to the next page in the last row."""
    rows = [[e.id, e.name, e.topic, e.purpose, str(e.members), ""] for e in listed]
    if rows:
        rows[-1][-1] = cursor
    return csv_text(_COLUMNS, rows)


def _value(text: object) -> str:
    return str(text.get("value") or "") if isinstance(text, dict) else ""
