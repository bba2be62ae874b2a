"""How a world's content becomes Telegram's rows."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {
    "account": Rows(),
    "setting": Rows(),
    "user": Rows(),
    "chat": Rows(),
    "message": Rows(),
    "dialog": Rows(),
    "contact_alias": Rows(),
    "topic": Rows(),
    "folder": Rows(),
    "draft": Rows(),
    "scheduled_message": Rows(),
    "reaction": Rows(),
    "read_receipt": Rows(),
    "button": Rows(),
    "media": Rows(),
    "admin_right": Rows(),
    "banned_user": Rows(),
    "default_permission": Rows(),
    "admin_event": Rows(),
    "invite_link": Rows(),
    "profile_photo": Rows(),
    "privacy_rule": Rows(),
    "sticker_set": Rows(),
    "bot_command": Rows(),
    "mcp_roots": Rows(),
    "incoming_message": Rows(),
    "incoming_feed": Rows(),
    "personal": Rows(),
}
