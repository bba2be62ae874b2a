"""Telegram's rows from the content of a world, as the world's owner sees them.

A place is a chat in the owner's list. A place without a name (`form: direct`) is a private chat whose other person is
the last member, or the saved messages if there is only one member. Other places are groups; `topic` is supergroup or
channel, or absent for a basic group. A trace `chat` with the `place` holds further properties of a group; `also` holds
those of its dialog.
"""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_AT = fill.moment("at", "iso")
# For rows whose key is a person's or a chat's id, which existed before them.
_LATER = fill.moment("self.at", "iso")
# Marked ids: supergroups and channels begin with -100.
_CHANNEL_ID = fill.random(low=-1002999999999, high=-1002100000000)
_GROUP_ID = fill.random(low=-4999999999, high=-4100000000)
_CHAT_ID = fill.case(
    "form",
    {"direct": fill.key("members.last")},
    fill.case("topic", {"supergroup": _CHANNEL_ID, "channel": _CHANNEL_ID}, _GROUP_ID),
)
# Columns of rows that belong to a message, a place or a person.
_MESSAGE: dict[str, fill.Filler | None] = {"chat_id": fill.key("message.place"), "message_id": fill.key("message")}
_PLACE = fill.key("place", None)
_DATED_MESSAGE: dict[str, fill.Filler | None] = {**_MESSAGE, "date": _LATER}
_IN_PLACE: dict[str, fill.Filler | None] = {"chat_id": _PLACE}

ROWS = {
    "account": Rows(),
    "setting": Rows(),
    "user": Rows(
        made_from="person",
        columns={
            "id": fill.case("kind", {}, fill.random(low=500_000_000, high=7_999_999_999)),
            "self": fill.count("self", "person", as_flag=True),
            "account": None,
            "first_name": fill.of("account.first_name", otherwise=fill.of("given", otherwise=fill.of("name"))),
            "last_name": fill.of("account.last_name", otherwise=fill.of("family")),
            "username": fill.of("account.username"),
            # Only for people who share their phone number.
            "phone": fill.case("account.phone", {True: fill.form("{digits|bare}", digits=fill.of("phone"))}),
            "contact": fill.of("account.contact"),
            "mutual_contact": fill.of("account.contact"),
            "blocked": fill.of("account.blocked"),
            "bot": fill.of("account.bot"),
            "premium": fill.of("account.premium"),
            "about": fill.of("account.bio"),
            "status": fill.case("account.bot", {True: None}, fill.shape(type=fill.enumerate("recently"))),
        },
    ),
    "chat": Rows(
        columns={
            "id": _PLACE,
            "type": fill.case("place.topic", {"present": fill.of("place.topic")}, "group"),
            "title": fill.of("place.name"),
            "username": fill.of("username"),
            "participants": fill.key("place.members"),
            "participants_count": fill.of("count"),
            "creator_id": fill.key("place.owner"),
            "about": fill.case("place.text", {"present": fill.of("place.text")}),
            "linked_chat_id": fill.key("linked"),
            "date": _AT,
        },
    ),
    "message": Rows(
        columns={
            "chat_id": _PLACE,
            "id": fill.ordinal(4021),
            "sender_id": fill.case("place.topic", {"channel": _PLACE}, fill.key("author")),
            "text": fill.text("text", mention="{name}"),
            "date": _AT,
            "edit_date": fill.case("changed", {True: fill.moment("edited", "iso")}),
            "reply_to_msg_id": fill.key("answers"),
            "topic_id": fill.key("under"),
            "pinned": fill.case("pinned", {True: True}),
            "replies": fill.of("comments"),
        },
    ),
    "dialog": Rows(
        made_from="place",
        columns={
            "chat_id": _CHAT_ID,
            "unread_count": fill.always(0),
            "date": None,
        },
    ),
    "contact_alias": Rows(
        columns={"id": fill.key("person"), "name": fill.of("person.name"), "account": fill.always("default")}
    ),
    "topic": Rows(columns=_IN_PLACE),
    "folder": Rows(columns={"include_chat_ids": fill.key("places")}),
    "draft": Rows(columns={**_IN_PLACE, "message": fill.text("text"), "date": _LATER}),
    "scheduled_message": Rows(columns={**_IN_PLACE, "text": fill.text("text"), "date": fill.of("send_at")}),
    "reaction": Rows(columns={**_DATED_MESSAGE, "user_id": fill.key("by")}),
    "read_receipt": Rows(columns={**_DATED_MESSAGE, "user_id": fill.key("by")}),
    "button": Rows(columns={**_MESSAGE, "index": fill.of("number")}),
    "media": Rows(
        columns={
            **_DATED_MESSAGE,
            "id": fill.case("kind", {}, fill.random(low=5_300_000_000, high=5_999_999_999)),
            "kind": fill.of("form"),
        }
    ),
    "admin_right": Rows(columns={**_IN_PLACE, "user_id": fill.key("by"), "promoted_by": fill.key("place.owner")}),
    "banned_user": Rows(columns={**_IN_PLACE, "user_id": fill.key("by"), "date": _LATER}),
    "default_permission": Rows(columns=_IN_PLACE),
    "admin_event": Rows(columns={**_IN_PLACE, "user_id": fill.key("by"), "date": _AT}),
    "invite_link": Rows(columns={**_IN_PLACE, "link": fill.form("https://t.me/+{hash}"), "date": _AT}),
    "profile_photo": Rows(columns={"user_id": fill.key("by"), "date": _AT}),
    "privacy_rule": Rows(columns={"key": fill.of("about")}),
    "sticker_set": Rows(),
    "bot_command": Rows(columns={"user_id": fill.key("by")}),
    "mcp_roots": Rows(),
    "incoming_message": Rows(
        columns={
            "chat_id": fill.key("message.author"),
            "id": fill.key("message"),
            "sender_id": fill.key("message.author"),
            "text": fill.text("message.text"),
            "date": fill.moment("message.at", "iso"),
        },
    ),
    "incoming_feed": Rows(),
    "personal": Rows(),
}
