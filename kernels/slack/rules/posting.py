"""chat.postMessage: permissions, the message, and its effect on a thread."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels
from soundstage.kernels.slack.rules.blocks import MAX_TEXT, Blocks, blocks_text, check_blocks
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.history import ACTIVITY
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.timestamps import new_timestamp


def post(
    context: AppContext,
    who: Identity,
    channel: str,
    *,
    text: str = "",
    blocks: Blocks | None = None,
    thread_ts: str = "",
) -> Object:
    """Post a message and return it as stored.

    `channel` is an id, a user's id (the direct message with that user), or the name of a public channel with or without
    #. A message with only blocks gets their text, so that it can be searched.

    Raises:
        SlackError: See https://docs.slack.dev/reference/methods/chat.postMessage.
    """
    who.calls("chat.postMessage")
    target = _target(context, who, channel)
    who.needs("chat:write")
    _may_post(context, who, target)
    if not text.strip() and not blocks:
        raise SlackError("no_text")
    if len(text) > MAX_TEXT:
        raise SlackError("msg_blocks_too_long")
    check_blocks(blocks or [])
    parent = _thread(context, target, thread_ts) if thread_ts else None
    if not thread_ts and target.get("is_thread_only"):
        raise SlackError("restricted_action_thread_only_channel")
    message: Object = {
        "channel": target["id"],
        "user": who.user_id,
        "type": "message",
        "ts": new_timestamp(context, target["id"]),
        "text": text or blocks_text(blocks or []),
        "team": who.team_id,
    }
    if who.is_bot:
        message["bot_id"] = who.bot_id
    if blocks:
        message["blocks"] = blocks
    if thread_ts:
        message["thread_ts"] = parent["ts"] if parent else thread_ts
    if parent:
        message["parent_user_id"] = parent.get("user", "")
        _count_reply(context, parent, message)
    return context.create("message", message)


def post_reply(message: Object) -> Object:
    """Return chat.postMessage's body for a message that `post` returned."""
    shown = {name: value for name, value in message.items() if name not in ("channel", "parent_user_id")}
    return {"ok": True, "channel": message["channel"], "ts": message["ts"], "message": shown}


def _target(context: AppContext, who: Identity, channel: str) -> Object:
    target = context.get("channel", channel)
    if target is None and re.fullmatch(r"[UW][A-Z0-9]+", channel):
        target = channels.open_direct_message(context, who, channel)
    if target is None:
        named = context.list("channel", {"name": channel.removeprefix("#")})
        target = next((c for c in named if channels.kind_of(c) == "public_channel"), None)
    if target is None or not channels.is_visible(target, who):
        raise SlackError("channel_not_found")
    return target


def _may_post(context: AppContext, who: Identity, channel: Object) -> None:
    if channel.get("is_archived"):
        raise SlackError("is_archived")  # an archived channel has no members, so this precedes not_in_channel
    if not channels.is_member(channel, who):
        raise SlackError("not_in_channel")
    if channel.get("is_read_only"):
        raise SlackError("restricted_action_read_only_channel")
    posters = (channel.get("properties") or {}).get("posting_restricted_to")
    if isinstance(posters, dict) and who.user_id not in (posters.get("user") or []):
        user = context.get("user", who.user_id) or {}
        if "admin" not in (posters.get("type") or []) or not (user.get("is_admin") or user.get("is_owner")):
            raise SlackError("restricted_action")


def _thread(context: AppContext, channel: Object, thread_ts: str) -> Object | None:
    """Return the message that starts the thread, also if `thread_ts` names one of its replies.

    A valid timestamp without a message is accepted: the reply is posted where it is not visible. Seen on the real API,
    https://github.com/slackapi/python-slack-sdk/issues/840
    """
    if not re.fullmatch(r"\d{10}\.\d{1,6}", thread_ts, re.ASCII):
        messages = [f"[ERROR] {thread_ts} is not a valid thread_ts"]
        raise SlackError("invalid_thread_ts", {"response_metadata": {"messages": messages}})
    if channel.get("is_non_threadable"):
        raise SlackError("restricted_action_non_threadable_channel")
    message = context.get("message", (channel["id"], thread_ts))
    if message and message.get("thread_ts") not in (None, thread_ts):
        message = context.get("message", (channel["id"], message["thread_ts"])) or message
    if message and message.get("subtype") in ACTIVITY:
        raise SlackError("cannot_reply_to_message")
    if message and message.get("is_locked"):
        raise SlackError("restricted_action_thread_locked")
    return message


def _count_reply(context: AppContext, parent: Object, reply: Object) -> None:
    users = parent.get("reply_users") or []
    users = users if reply["user"] in users else [*users, reply["user"]]
    changes = {
        "thread_ts": parent["ts"],
        "reply_count": (parent.get("reply_count") or 0) + 1,
        "reply_users_count": max(parent.get("reply_users_count") or 0, len(users)),
        "latest_reply": reply["ts"],
        "reply_users": users,
    }
    context.update("message", (parent["channel"], parent["ts"]), changes)
