"""The library's own users, channels and peers, with all the fields that printing them shows.

Source: Telethon 1.45, tl/types (layer 223): flags that are not set are False when they come from Telegram, all else is None.
"""

from __future__ import annotations

import hashlib
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers
from soundstage.kernels.telegram.rules.moments import moment
from soundstage.kernels.telegram.rules.reprs import Tl
from soundstage.kernels.telegram.rules.server import Client

_USER_FLAGS = (
    "is_self", "contact", "mutual_contact", "deleted", "bot", "bot_chat_history", "bot_nochats", "verified", "restricted",
    "min", "bot_inline_geo", "support", "scam", "apply_min_photo", "fake", "bot_attach_menu", "premium",
    "attach_menu_enabled", "bot_can_edit", "close_friend", "stories_hidden", "stories_unavailable",
    "contact_require_premium", "bot_business", "bot_has_main_app", "bot_forum_view", "bot_forum_can_manage_topics",
    "bot_can_manage_bots", "bot_guestchat", "bot_guard",
)  # fmt: skip
_CHANNEL_FLAGS = (
    "creator", "left", "broadcast", "verified", "megagroup", "restricted", "signatures", "min", "scam", "has_link",
    "has_geo", "slowmode_enabled", "call_active", "call_not_empty", "fake", "gigagroup", "noforwards", "join_to_send",
    "join_request", "forum", "stories_hidden", "stories_hidden_min", "stories_unavailable", "signature_profiles",
    "autotranslation", "broadcast_messages_allowed", "monoforum", "forum_tabs",
)  # fmt: skip
_STATUSES = {
    "empty": "UserStatusEmpty",
    "last_month": "UserStatusLastMonth",
    "last_week": "UserStatusLastWeek",
    "offline": "UserStatusOffline",
    "online": "UserStatusOnline",
    "recently": "UserStatusRecently",
}
_MOMENTS = {"offline": "was_online", "online": "expires"}
# A chat whose founding the state leaves out.
_FOUNDED = "2025-01-01T00:00:00+00:00"
_STORED_AT = 2


def user(row: Object) -> Tl:
    """A user as the account sees them."""
    flags = dict.fromkeys(_USER_FLAGS, False)
    flags.update({name: bool(row.get(name)) for name in flags if name in row}, is_self=bool(row.get("self")))
    return Tl(
        "User",
        {"id": row["id"], **flags},
        access_hash=access_hash(row["id"]),
        first_name=row.get("first_name"),
        last_name=row.get("last_name"),
        username=row.get("username"),
        phone=row.get("phone"),
        photo=None,
        status=status(row),
        bot_info_version=1 if row.get("bot") else None,
        restriction_reason=[],
        bot_inline_placeholder=None,
        lang_code=None,
        emoji_status=None,
        usernames=[],
        stories_max_id=None,
        color=None,
        profile_color=None,
        bot_active_users=None,
        bot_verification_icon=None,
        send_paid_messages_stars=None,
        linked_community_id=None,
    )


def channel(client: Client, row: Object) -> Tl:
    """A supergroup or channel as the account sees it."""
    flags = dict.fromkeys(_CHANNEL_FLAGS, False) | {
        "creator": chats.is_creator(client, row),
        "left": not chats.is_member(client, row),
        "broadcast": row.get("type") == "channel",
        "verified": bool(row.get("verified")),
        "megagroup": row.get("type") == "supergroup",
        "slowmode_enabled": bool(row.get("slow_mode_seconds")),
        "forum": bool(row.get("forum")),
    }
    bare = peers.bare_id(row["id"])
    photo = Tl("ChatPhoto", photo_id=abs(access_hash(bare)), dc_id=_STORED_AT, has_video=False, stripped_thumb=None)
    return Tl(
        "Channel",
        {
            "id": bare,
            "title": row.get("title"),
            "photo": photo if row.get("photo") else Tl("ChatPhotoEmpty"),
            "date": moment(row.get("date") or _FOUNDED),
            **flags,
        },
        access_hash=access_hash(bare),
        username=row.get("username"),
        restriction_reason=[],
        admin_rights=None,
        banned_rights=None,
        default_banned_rights=None,
        participants_count=None,
        usernames=[],
        stories_max_id=None,
        color=None,
        profile_color=None,
        emoji_status=None,
        level=None,
        subscription_until_date=None,
        bot_verification_icon=None,
        send_paid_messages_stars=None,
        linked_monoforum_id=None,
        linked_community_id=None,
    )


def status(row: Object) -> Tl | None:
    """When a user was last seen, as far as Telegram tells."""
    told = row.get("status")
    if not told:
        return None
    kind = told["type"]
    fields: dict[str, Any] = {}
    if kind in _MOMENTS:
        name = _MOMENTS[kind]
        fields[name] = moment(told[name]) if told.get(name) else None
    elif kind != "empty":
        fields["by_me"] = False
    return Tl(_STATUSES[kind], fields)


def input_peer(marked: int) -> Tl:
    """What a request is told of a peer."""
    bare = peers.bare_id(marked)
    if peers.CHANNEL_MARK < marked < 0:
        return Tl("InputPeerChat", chat_id=bare)
    kind = "user" if marked > 0 else "channel"
    return Tl(f"InputPeer{kind.capitalize()}", {f"{kind}_id": bare, "access_hash": access_hash(bare)})


def access_hash(bare: int) -> int:
    """The number that Telegram wants beside an id; it says nothing."""
    digest = hashlib.blake2b(str(bare).encode(), key=b"telegram", digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
