"""reactions.add and reactions.remove."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.slack.rules import channels, emoji
from soundstage.kernels.slack.rules.directory import resolve
from soundstage.kernels.slack.rules.errors import Refusal, SlackError
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.settings import channel_allowed, setting
from soundstage.kernels.slack.rules.timestamps import is_timestamp
from soundstage.kernels.slack.rules.values import go_quote, go_text
from soundstage.kernels.types import Arguments

# https://slack.com/help/articles/202931348-Use-emoji-and-reactions
_MOST_BY_ONE_PERSON = 23
_MOST_DISTINCT = 50


def add(context: AppContext, who: Identity, channel_id: str, timestamp: str, name: str) -> None:
    """Add an emoji to a message.

    Raises:
        SlackError: channel_not_found, bad_timestamp, message_not_found, is_archived, thread_locked, invalid_name,
            already_reacted, too_many_reactions, too_many_emoji.
    """
    who.calls("reactions.add")
    message = _message(context, who, channel_id, timestamp)
    if not emoji.is_known(context, name):
        raise SlackError("invalid_name")
    name = emoji.canonical(name)
    reactions = message.get("reactions") or []
    given = next((r for r in reactions if r.get("name") == name), None)
    if given and who.user_id in _users(given):
        raise SlackError("already_reacted")
    if sum(who.user_id in _users(r) for r in reactions) >= _MOST_BY_ONE_PERSON:
        raise SlackError("too_many_reactions")
    if given is None and len(reactions) >= _MOST_DISTINCT:
        raise SlackError("too_many_emoji")
    if given is None:
        reactions = [*reactions, {"name": name, "users": [who.user_id], "count": 1}]
    else:
        given["users"] = [*_users(given), who.user_id]
        given["count"] = given.get("count", 0) + 1
    context.update("message", (channel_id, timestamp), {"reactions": reactions})


def remove(context: AppContext, who: Identity, channel_id: str, timestamp: str, name: str) -> None:
    """Remove an emoji that `who` added.

    Raises:
        SlackError: channel_not_found, bad_timestamp, message_not_found, is_archived, thread_locked, no_reaction.
    """
    who.calls("reactions.remove")
    message = _message(context, who, channel_id, timestamp)
    name = emoji.canonical(name)
    reactions = message.get("reactions") or []
    given = next((r for r in reactions if r.get("name") == name and who.user_id in _users(r)), None)
    if given is None:
        raise SlackError("no_reaction")
    given["users"] = [user for user in _users(given) if user != who.user_id]
    given["count"] = max(given.get("count", 1) - 1, 0)
    left = [r for r in reactions if r.get("count", 0) > 0]
    context.update("message", (channel_id, timestamp), {"reactions": left or ABSENT})


def wanted_reaction(context: AppContext, who: Identity, arguments: Arguments) -> tuple[str, str, str]:
    """Return the channel's id, the timestamp and the emoji of a call of the korotovsky server's tools.

    Raises:
        Refusal: An argument is missing, the channel name is unknown, or the server's policy forbids the channel.
    """
    channel = go_text(arguments, "channel_id")
    if not channel:
        raise Refusal("channel_id is required")
    channel = resolve(context, who, channel)
    policy = setting(context, "SLACK_MCP_REACTION_TOOL")
    if not channel_allowed(policy, channel):
        refused = f"reactions tools are not allowed for channel {go_quote(channel)}"
        raise Refusal(f"{refused}, applied policy: {policy}", "permission")
    timestamp = go_text(arguments, "timestamp")
    if not timestamp:
        raise Refusal("timestamp is required")
    name = go_text(arguments, "emoji").strip(":")
    if not name:
        raise Refusal("emoji is required")
    return channel, timestamp, name


def _message(context: AppContext, who: Identity, channel_id: str, timestamp: str) -> Object:
    channel = channels.find(context, who, channel_id)
    who.needs("reactions:write")
    if not is_timestamp(timestamp):
        raise SlackError("bad_timestamp")
    message = context.get("message", (channel_id, timestamp))
    if message is None:
        raise SlackError("message_not_found")
    if channel.get("is_archived"):
        raise SlackError("is_archived")
    root = context.get("message", (channel_id, message.get("thread_ts") or timestamp)) or message
    if message.get("is_locked") or root.get("is_locked"):
        raise SlackError("thread_locked")
    return message


def _users(reaction: Object) -> list[str]:
    return reaction.get("users") or []
