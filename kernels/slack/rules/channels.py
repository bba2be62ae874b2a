"""Conversations as the Web API sees them: kinds, members, visibility, joining and leaving."""

from __future__ import annotations

from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.timestamps import is_timestamp, new_timestamp

Kind = Literal["public_channel", "private_channel", "im", "mpim"]
NEVER_READ = "0000000000.000000"
_SCOPE_NAMES: dict[Kind, str] = {
    "public_channel": "channels",
    "private_channel": "groups",
    "im": "im",
    "mpim": "mpim",
}


def kind_of(channel: Object) -> Kind:
    """Return the kind of a conversation."""
    if channel.get("is_im"):
        return "im"
    if channel.get("is_mpim"):
        return "mpim"
    return "private_channel" if channel.get("is_private") else "public_channel"


def scope(kind: Kind, access: Literal["read", "write", "history"]) -> str:
    """Return the scope for a kind of conversation, such as `groups:history`."""
    return f"{_SCOPE_NAMES[kind]}:{access}"


def is_member(channel: Object, who: Identity) -> bool:
    """Return whether `who` is a member.

    If the state has neither list nor flag, the default account is a member and others are not.
    """
    if isinstance(members := channel.get("members"), list):
        return who.user_id in members
    return who.is_own and channel.get("is_member") is not False


def is_visible(channel: Object, who: Identity) -> bool:
    """Return whether a conversation is visible: private ones exist only for their members."""
    return kind_of(channel) == "public_channel" or is_member(channel, who)


def other_side(channel: Object, who: Identity) -> str:
    """Return the user at the other end of a direct message, "" if the state has none."""
    user_id = str(channel.get("user") or "")
    if user_id and user_id != who.user_id:
        return user_id
    return next((str(m) for m in channel.get("members") or [] if m != who.user_id), user_id)


def find(context: AppContext, who: Identity, channel_id: str) -> Object:
    """Return a conversation by id.

    Raises:
        SlackError: channel_not_found, also for a private conversation of other people.
    """
    channel = context.get("channel", channel_id)
    if channel is None or not is_visible(channel, who):
        raise SlackError("channel_not_found")
    return channel


def conversations(context: AppContext, who: Identity, kinds: list[Kind], *, own: bool = False) -> list[Object]:
    """Return the conversations of conversations.list that are not archived, or of users.conversations (`own`)."""
    return [
        channel
        for channel in context.list("channel")
        if kind_of(channel) in kinds
        and not channel.get("is_archived")
        and (is_member(channel, who) if own else is_visible(channel, who))
    ]


def to_reply(channel: Object, who: Identity) -> Object:
    """Return a channel as conversations.list writes it."""
    kind = kind_of(channel)
    created = channel.get("created") or 0
    return {
        "id": channel["id"],
        "name": channel.get("name", ""),
        "is_channel": kind == "public_channel",
        "is_group": kind == "private_channel",
        "is_im": kind == "im",
        "created": created,
        "creator": channel.get("creator", ""),
        "is_archived": bool(channel.get("is_archived")),
        "is_general": bool(channel.get("is_general")),
        "unlinked": channel.get("unlinked", 0),
        "name_normalized": channel.get("name_normalized") or channel.get("name", ""),
        "is_shared": bool(channel.get("is_shared")),
        "is_ext_shared": bool(channel.get("is_ext_shared")),
        "is_org_shared": bool(channel.get("is_org_shared")),
        "pending_shared": channel.get("pending_shared", []),
        "is_pending_ext_shared": bool(channel.get("is_pending_ext_shared")),
        "is_member": is_member(channel, who),
        "is_private": bool(channel.get("is_private")),
        "is_mpim": kind == "mpim",
        "updated": channel.get("updated", created * 1000),
        "topic": channel.get("topic") or {"value": "", "creator": "", "last_set": 0},
        "purpose": channel.get("purpose") or {"value": "", "creator": "", "last_set": 0},
        "previous_names": channel.get("previous_names", []),
        "num_members": member_count(channel),
    }


def member_count(channel: Object) -> int:
    """Return the number of members."""
    return int(channel.get("num_members", len(channel.get("members") or [])))


def join(context: AppContext, who: Identity, channel_id: str) -> None:
    """Perform conversations.join; a repetition changes nothing.

    Raises:
        SlackError: channel_not_found, method_not_supported_for_channel_type, is_archived.
    """
    who.calls("conversations.join")
    channel = find(context, who, channel_id)
    who.needs("channels:join" if who.is_bot else "channels:write")
    if kind_of(channel) != "public_channel":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.get("is_archived"):
        raise SlackError("is_archived")
    if not is_member(channel, who):
        _set_membership(context, who, channel, joined=True)


def leave(context: AppContext, who: Identity, channel_id: str) -> bool:
    """Perform conversations.leave; return False if `who` was not a member.

    Raises:
        SlackError: channel_not_found, method_not_supported_for_channel_type, is_archived, cant_leave_general,
            user_is_restricted, last_member.
    """
    who.calls("conversations.leave")
    channel = find(context, who, channel_id)
    who.needs(scope(kind_of(channel), "write"))
    if kind_of(channel) == "im":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.get("is_archived"):
        raise SlackError("is_archived")
    if channel.get("is_general"):
        raise SlackError("cant_leave_general")
    if not is_member(channel, who):
        return False
    user = context.get("user", who.user_id) or {}
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        raise SlackError("user_is_restricted")
    if member_count(channel) == 1:
        raise SlackError("last_member")
    _set_membership(context, who, channel, joined=False)
    return True


def mark(context: AppContext, who: Identity, channel_id: str, ts: str) -> None:
    """Perform conversations.mark: messages up to `ts` are read.

    Raises:
        SlackError: channel_not_found, not_in_channel, invalid_timestamp.
    """
    who.calls("conversations.mark")
    channel = find(context, who, channel_id)
    who.needs(scope(kind_of(channel), "write"))
    if not is_member(channel, who):
        raise SlackError("not_in_channel")
    if not is_timestamp(ts):
        raise SlackError("invalid_timestamp")
    if who.is_own:
        context.update("channel", channel_id, {"last_read": ts, "unread_count": ABSENT})
    elif context.get("read_mark", (channel_id, who.user_id)) is None:
        context.create("read_mark", {"channel": channel_id, "user": who.user_id, "last_read": ts})
    else:
        context.update("read_mark", (channel_id, who.user_id), {"last_read": ts})


def as_read_by(context: AppContext, channel: Object, who: Identity) -> Object:
    """Return a channel with the read position of `who` as conversations.info shows it.

    It has `last_read` and, for the default account, `unread_count`.
    """
    if who.is_own:
        return channel
    mark = context.get("read_mark", (channel["id"], who.user_id)) or {"last_read": NEVER_READ}
    fields = {name: value for name, value in channel.items() if name != "unread_count"}
    return {**fields, "last_read": mark["last_read"]}


def _set_membership(context: AppContext, who: Identity, channel: Object, *, joined: bool) -> None:
    """Add or remove `who`, and add the activity message that Slack posts in the channel."""
    changes: Object = {"is_member": joined} if who.is_own else {}
    members = channel.get("members")
    if not who.is_own and not isinstance(members, list):
        # `is_member` refers only to the default accounts; from here on the list covers all users.
        members = [] if channel.get("is_member") is False else [token["user_id"] for token in context.list("auth")]
    if isinstance(members, list):
        changes["members"] = [*members, who.user_id] if joined else [m for m in members if m != who.user_id]
    if "num_members" in channel:
        changes["num_members"] = max(channel["num_members"] + (1 if joined else -1), 0)
    context.update("channel", channel["id"], changes)
    context.create(
        "message",
        {
            "channel": channel["id"],
            "type": "message",
            "subtype": "channel_join" if joined else "channel_leave",
            "user": who.user_id,
            "text": f"<@{who.user_id}> has {'joined' if joined else 'left'} the channel",
            "ts": new_timestamp(context, channel["id"]),
        },
    )


def open_direct_message(context: AppContext, who: Identity, user_id: str) -> Object | None:
    """Return the direct message with a user, opened if necessary, or None for an unknown user."""
    if context.get("user", user_id) is None:
        return None
    for channel in context.list("channel", {"is_im": True}):
        if is_member(channel, who) and other_side(channel, who) == user_id:
            return channel
    return context.create(
        "channel",
        {
            "id": context.new_id("direct_message", "D0{upper:9}"),
            "is_im": True,
            "created": to_s(context.now()),
            "user": user_id,
            "is_archived": False,
            "members": [who.user_id, user_id],
            "last_read": NEVER_READ,
        },
    )
