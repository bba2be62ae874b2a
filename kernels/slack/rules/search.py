"""search.messages: the messages that match a query, newest first.

A message matches if it contains every word (or "phrase"), ignoring case, and no -word. Of several values of `in:` or
`from:` one must match, of any other modifier all. Days are in UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels
from soundstage.kernels.slack.rules.dates import day_bounds, parse_date
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.history import ACTIVITY
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.query import Query
from soundstage.kernels.slack.rules.text import message_text
from soundstage.kernels.slack.rules.timestamps import bound

_MOST = 100
_DEFAULT = 20
_WORD = re.compile(r'-?"[^"]*"|\S+')
_PERMALINK = re.compile(r"https://[^/\s]+/archives/([CDG][A-Z0-9]+)/p(\d{10})(\d{6})\b")


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching message, its channel's name in the search API, and its address."""

    message: Object
    channel_name: str
    permalink: str


def search(context: AppContext, who: Identity, query: Query, count: int, page: int) -> tuple[list[Hit], bool]:
    """Return one page of hits, and whether more follow.

    Raises:
        SlackError: no_query.
    """
    who.calls("search.messages")
    who.needs("search:read")
    if not query.words and not any(query.modifiers.values()):
        raise SlackError("no_query")
    size = min(count, _MOST) if count > 0 else _DEFAULT
    wanted = _Wanted.of(query)
    hits = [hit for channel in context.list("channel") for hit in _hits_in(context, who, query, channel, wanted)]
    hits.sort(key=lambda hit: hit.message["ts"], reverse=True)
    start = (page - 1) * size
    return hits[start : start + size], start + size < len(hits)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A query's words, read once for all messages: the message that a link leads to, or texts that must be there or not."""

    link: tuple[str, str] | None
    words: tuple[str, ...]
    absent: tuple[str, ...]

    @classmethod
    def of(cls, query: Query) -> _Wanted:
        text = " ".join(query.words)
        if link := _PERMALINK.fullmatch(text):
            return cls((link[1], f"{link[2]}.{link[3]}"), (), ())
        words: dict[str, None] = {}
        absent: dict[str, None] = {}
        for word in dict.fromkeys(_WORD.findall(text)):
            plain = word.removeprefix("-") if len(word) > 1 else word
            (words if plain == word else absent)[plain.strip('"').casefold()] = None
        return cls(None, tuple(words), tuple(absent))

    def fits(self, message: Object) -> bool:
        if self.link is not None:
            return (message["channel"], message["ts"]) == self.link
        content = message_text(message).casefold()
        return all(word in content for word in self.words) and not any(word in content for word in self.absent)


def _hits_in(context: AppContext, who: Identity, query: Query, channel: Object, wanted: _Wanted) -> list[Hit]:
    places = query.modifiers.get("in", [])
    if not channels.is_visible(channel, who) or (
        places and not any(_is_place(context, who, channel, place) for place in places)
    ):
        return []
    name = channels.other_side(channel, who) if channel.get("is_im") else channel.get("name", "")
    messages = context.list("message", {"channel": channel["id"], **_time_bounds(context, query)})
    return [Hit(m, name, _permalink(who, m)) for m in messages if _fits(context, who, query, channel, m, wanted)]


def _fits(context: AppContext, who: Identity, query: Query, channel: Object, message: Object, wanted: _Wanted) -> bool:
    if message.get("subtype") in ACTIVITY:
        return False
    authors = query.modifiers.get("from", [])
    if authors and not any(_is_user(context, who, author, message.get("user", "")) for author in authors):
        return False
    if "thread" in query.modifiers.get("is", []) and not message.get("thread_ts"):
        return False
    if "dm" in query.modifiers.get("is", []) and not channel.get("is_im"):
        return False
    people = query.modifiers.get("with", [])
    if people and not all(_takes_part(context, who, person, channel, message) for person in people):
        return False
    return wanted.fits(message)


def _time_bounds(context: AppContext, query: Query) -> dict[str, str]:
    lowest, highest = 0, 9_999_999_999
    for modifier in ("before", "after", "on", "during"):
        for value in query.modifiers.get(modifier, []):
            day = parse_date(value, context.now())
            if day is None:
                continue
            start, end = day_bounds(day)
            if modifier != "before":
                lowest = max(lowest, end if modifier == "after" else start)
            if modifier != "after":
                highest = min(highest, start if modifier == "before" else end)
    return {"ts >=": bound(lowest), "ts <": bound(highest)}


def _is_place(context: AppContext, who: Identity, channel: Object, place: str) -> bool:
    if place.startswith(("<@", "@")):
        if channel.get("is_im"):
            return _is_user(context, who, place, channels.other_side(channel, who))
        return place == f"@{channel.get('name')}"
    return place.removeprefix("#") in (channel.get("name"), channel["id"], f"<#{channel['id']}>")


def _is_user(context: AppContext, who: Identity, value: str, user_id: str) -> bool:
    if value == "me":
        return user_id == who.user_id
    value = value.removeprefix("<@").removesuffix(">").removeprefix("@")
    return value == user_id or value == (context.get("user", user_id) or {}).get("name")


def _takes_part(context: AppContext, who: Identity, value: str, channel: Object, message: Object) -> bool:
    """Return whether a user is in the direct message, or has written in the message's thread."""
    if channel.get("is_im") and _is_user(context, who, value, channels.other_side(channel, who)):
        return True
    root = message.get("thread_ts")
    if not root:
        return False
    thread = context.list("message", {"channel": message["channel"], "thread_ts": root})
    return any(_is_user(context, who, value, m.get("user", "")) for m in thread)


def _permalink(who: Identity, message: Object) -> str:
    link = f"{who.url}archives/{message['channel']}/p{message['ts'].replace('.', '')}"
    return f"{link}?thread_ts={message['thread_ts']}" if message.get("thread_ts") else link
