"""Mentions in a message, and the keys (`@_user_1`, `@_all`) that represent them in the stored content."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership, people
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.im.messages import forbidden_by_settings, is_manager

_AT = re.compile(r"""<at\s+user_id=["']([^"'<>]*)["']\s*>([^<]*)</at>""")


class Mentions:
    """The people mentioned in one message, numbered by first appearance.

    Attributes:
        mentioned: The `mentions` of the message: {key, id, id_type, name, tenant_key}.
    """

    def __init__(self, context: AppContext, chat: Object, bot: Caller) -> None:
        """Start without mentions."""
        self.mentioned: list[Object] = []
        self._context = context
        self._chat = chat
        self._bot = bot

    def rewrite(self, text: str) -> str:
        """Replace `<at user_id="…">…</at>` by keys; an unknown user remains as a plain name."""
        return _AT.sub(lambda at: self.key(at[1], at[2]) or f"@{at[2]}", text)

    def key(self, user_id: str, name: str = "") -> str | None:
        """Return the key of a user given by any id, or of all members (`all`), or None for an unknown id.

        Raises:
            LarkError: 230018 if only managers may mention all members of the chat.
        """
        if user_id == "all":
            if self._chat.get("at_all_permission") == "only_owner" and not is_manager(self._chat, self._bot):
                raise forbidden_by_settings()
            return "@_all"
        user = people.find_by_any_id(self._context, user_id) or self._member(user_id, name)
        if user is None:
            return None
        for earlier in self.mentioned:
            if earlier["id"] == user["open_id"]:
                return str(earlier["key"])
        key = f"@_user_{len(self.mentioned) + 1}"
        mention = {
            "key": key,
            "id": user["open_id"],
            "id_type": "open_id",
            "name": user.get("name", ""),
            "tenant_key": user.get("tenant_key") or self._bot.tenant_key,
        }
        self.mentioned.append(mention)
        return key

    def name_of(self, key: str) -> str:
        """Return the name of a key, "" for all members."""
        return next((str(m["name"]) for m in self.mentioned if m["key"] == key), "")

    def _member(self, open_id: str, name: str) -> Object | None:
        """Return a member of the chat without a user row."""
        for member in membership.members(self._context, self._chat):
            if member["member_id"] == open_id:
                return {"open_id": open_id, "name": member["name"] or name, "tenant_key": member["tenant_key"]}
        return None
