"""The query of the search tool: words and modifiers, from its query and its filter arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import directory
from soundstage.kernels.slack.rules.channels import Kind
from soundstage.kernels.slack.rules.dates import date_filters
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.values import go_flag, go_quote, go_text
from soundstage.kernels.types import Arguments

_MODIFIERS = ("is", "in", "from", "with", "before", "after", "on", "during")
_CACHED: list[Kind] = ["mpim", "im", "public_channel", "private_channel"]


@dataclass(slots=True)
class Query:
    """Free words, and the values of each modifier."""

    words: list[str] = field(default_factory=list)
    modifiers: dict[str, list[str]] = field(default_factory=dict)

    def add(self, modifier: str, value: str) -> None:
        """Add a value of a modifier, once."""
        values = self.modifiers.setdefault(modifier, [])
        if value not in values:
            values.append(value)


def build_query(context: AppContext, who: Identity, arguments: Arguments) -> Query:
    """Build the query from a call's arguments; `filter_in_channel` overrides `filter_in_im_or_mpim`.

    Raises:
        Refusal: A channel or user is unknown, or the dates form no range.
    """
    query = Query()
    for token in go_text(arguments, "search_query").split():
        modifier, colon, value = token.partition(":")
        if colon and modifier.lower() in _MODIFIERS:
            query.modifiers.setdefault(modifier.lower(), []).append(value)
        else:
            query.words.append(token)
    if go_flag(arguments, "filter_threads_only", False):
        query.add("is", "thread")
    if channel := go_text(arguments, "filter_in_channel"):
        query.add("in", _channel_name(context, who, channel.strip()))
    elif direct := go_text(arguments, "filter_in_im_or_mpim"):
        query.add("in", _mention(context, direct))
    if companion := go_text(arguments, "filter_users_with"):
        query.add("with", _mention(context, companion))
    if author := go_text(arguments, "filter_users_from"):
        query.add("from", _mention(context, author))
    names = ("filter_date_before", "filter_date_after", "filter_date_on", "filter_date_during")
    before, after, on, during = (go_text(arguments, name) for name in names)
    for modifier, value in date_filters(before, after, on, during, context.now()).items():
        query.add(modifier, value)
    return query


def _channel_name(context: AppContext, who: Identity, raw: str) -> str:
    """Return `#name` for a channel given as #name or by id."""
    if not raw.startswith(("#", "C", "G")):
        raise Refusal(f"invalid channel format: {go_quote(raw)}")
    for entry in directory.entries(context, who, _CACHED):
        if raw in (entry.name, entry.id):
            return entry.name
    raise Refusal(f"channel {go_quote(raw)} not found", "not_found")


def _mention(context: AppContext, raw: str) -> str:
    """Return `<@id>` for a user given by id, name or @name."""
    raw = raw.strip()
    if raw.startswith(("U", "W")):
        user = context.get("user", raw)
    else:
        raw = raw.removeprefix("<@").removeprefix("@")
        user = context.first("user", {"name": raw})
    if user is None:
        raise Refusal(f"user {go_quote(raw)} not found", "not_found")
    return f"<@{user['id']}>"
