"""The library's users, channels and peers with all fields that their representation shows.

Source: Telethon 1.45, tl/types (layer 223): unset flags of objects from Telegram are False; other missing fields have
the value None.
"""

from __future__ import annotations

import hashlib
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers
from soundstage.kernels.telegram.rules.reprs import Tl
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import parse_time

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
_TIME_FIELDS = {"offline": "was_online", "online": "expires"}
# The creation date of chats whose state has none.
_FOUNDED = "2025-01-01T00:00:00+00:00"
_STORED_AT = 2


def user(row: Object) -> Tl:
    """Return a user as the account sees them."""
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
    """Return a supergroup or channel as the account sees it."""
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
            "date": parse_time(row.get("date") or _FOUNDED),
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
    """Return when a user was last seen, as Telegram reports it."""
    stored = row.get("status")
    if not stored:
        return None
    kind = stored["type"]
    fields: dict[str, Any] = {}
    if kind in _TIME_FIELDS:
        name = _TIME_FIELDS[kind]
        fields[name] = parse_time(stored[name]) if stored.get(name) else None
    elif kind != "empty":
        fields["by_me"] = False
    return Tl(_STATUSES[kind], fields)


def input_peer(marked: int) -> Tl:
    """Return the representation of a peer in a request."""
    bare = peers.bare_id(marked)
    if peers.CHANNEL_MARK < marked < 0:
        return Tl("InputPeerChat", chat_id=bare)
    kind = "user" if marked > 0 else "channel"
    return Tl(f"InputPeer{kind.capitalize()}", {f"{kind}_id": bare, "access_hash": access_hash(bare)})


def access_hash(bare: int) -> int:
    """Return the opaque number that Telegram requires next to an id."""
    digest = hashlib.blake2b(str(bare).encode(), key=b"telegram", digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
