"""Discord's rows from the content of a world.

Places are channels; servers, roles, categories and members are traces.
"""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_ID = fill.of("snowflake", otherwise=fill.moment("at", "snowflake"))
# The usual reaction emoji, which other apps refer to by name.
_SIGNS = {
    "+1": "👍", "THUMBSUP": "👍", "joy": "😂", "eyes": "👀", "heart": "❤️", "white_check_mark": "✅", "raised_hands": "🙌",
}  # fmt: skip
_UNICODE = fill.shape(id=fill.always(None), name=fill.case("it.name", _SIGNS, fill.of("it.name")))
_REACTION = fill.shape(count=fill.of("it.people.count"), me=fill.always(False), emoji=_UNICODE)

ROWS = {
    "bot_permissions": Rows(),
    "server": Rows(),
    "user": Rows(
        made_from=("person", "bot"),
        columns={
            # Accounts of 2016 to 2021: people do not create one on their first day at work.
            "id": fill.case(
                "kind",
                {"bot": _ID},
                fill.form("{year}{rest}", year=fill.random(low=2, high=8), rest=fill.random("{digits:17}")),
            ),
            "username": fill.of("account.handle"),
            "discriminator": fill.of("account.discriminator", otherwise="0"),
            "global_name": fill.of("account.display_name", otherwise=fill.of("name")),
            "avatar": fill.random("{hex:32}"),
            "bot": fill.case("kind", {"bot": True}, False),
            "public_flags": fill.always(0),
        },
    ),
    "bot": Rows(made_from="bot", columns={"user_id": fill.key("self")}),
    "guild": Rows(
        columns={
            "id": _ID,
            "owner_id": fill.key("by"),
            "description": fill.text("text"),
            "icon": fill.random("{hex:32}"),
            "premium_tier": fill.of("premium_tier", otherwise=0),
            "explicit_content_filter": fill.of("explicit_content_filter", otherwise=2),
            "rules_channel_id": fill.key("rules"),
        },
    ),
    "role": Rows(
        columns={
            "id": fill.case("everyone", {True: fill.key("guild")}, _ID),
            "guild_id": fill.key("guild"),
            "name": fill.case("everyone", {True: "@everyone"}, fill.of("name")),
            "position": fill.of("position", otherwise=0),
            "permissions": fill.of("permissions", otherwise="0"),
            "color": fill.of("color", otherwise=0),
            "colors": fill.shape(primary_color=fill.of("color", otherwise=0)),
            "hoist": fill.of("hoist", otherwise=False),
            "managed": fill.of("managed", otherwise=False),
            "mentionable": fill.of("mentionable", otherwise=False),
            "flags": fill.always(0),
        },
    ),
    "member": Rows(
        made_from="server_member",  # members of a place are something else: Discord does not list who reads a channel
        columns={
            "guild_id": fill.key("guild"),
            "user_id": fill.case("who", {"present": fill.key("who")}, fill.key("by")),  # a bot's account has no owner
            "roles": fill.key("roles"),
            "joined_at": fill.moment("at", "iso"),
        },
    ),
    "emoji": Rows(columns={"id": _ID, "guild_id": fill.key("guild"), "animated": fill.of("animated", otherwise=False)}),
    "channel": Rows(
        made_from=("place", "channel"),
        columns={
            "id": _ID,
            "guild_id": fill.key("guild"),
            "type": fill.of("type", otherwise=0),
            "topic": fill.of("topic"),
            "parent_id": fill.key("category"),
            "position": fill.of("position", otherwise=0),
            "permission_overwrites": fill.always([]),
        },
    ),
    "message": Rows(
        columns={
            "id": _ID,
            "channel_id": fill.key("place"),
            "author_id": fill.key("author"),
            "type": fill.always(0),
            "content": fill.text("text", mention="<@{id}>", link="{url}"),
            "timestamp": fill.moment("at", "iso"),
            "edited_timestamp": fill.case("changed", {True: fill.moment("edited", "iso")}),
            "pinned": fill.case("pinned", {True: True}, False),
            "reactions": fill.items("reactions", _REACTION),
        },
    ),
    "audit_log_entry": Rows(
        columns={"id": _ID, "guild_id": fill.key("guild"), "user_id": fill.key("by"), "target_id": fill.key("target")}
    ),
}
