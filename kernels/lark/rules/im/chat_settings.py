"""A new chat's settings: choices, defaults, and rules for its name."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.im.chats import invalid_parameter
from soundstage.kernels.types import Arguments

NO_NAME = "(无主题)"
_WHO = ("all_members", "only_owner")
_VISIBILITY = (*_WHO, "not_anyone")
# Setting → its choices, the first one being the default. Settings that a call cannot choose have one.
_CHOICES: dict[str, tuple[str, ...]] = {
    "urgent_setting": _WHO,
    "video_conference_setting": _WHO,
    "add_member_permission": _WHO[:1],
    "share_card_permission": ("allowed",),
    "at_all_permission": _WHO[:1],
    "edit_permission": _WHO,
    "group_message_type": ("chat", "thread"),
    "chat_mode": ("group",),
    "chat_type": ("private", "public"),
    "join_message_visibility": _VISIBILITY,
    "leave_message_visibility": _VISIBILITY,
    "membership_approval": ("no_approval_required", "approval_required"),
    "moderation_permission": _WHO[:1],
    "hide_member_count_setting": _WHO,
}
_RESTRICTIONS = (
    "screenshot_has_permission_setting",
    "download_has_permission_setting",
    "message_has_permission_setting",
)


def chosen_settings(data: Arguments) -> Object:
    """Return every setting of the new chat.

    Raises:
        LarkError: 232001 for an invalid value, or for restrictions that contradict their switch.
    """
    settings: Object = {}
    for name, choices in _CHOICES.items():
        settings[name] = data.get(name) or choices[0]
        if settings[name] not in choices:
            raise invalid_parameter()
    settings["restricted_mode_setting"] = _restricted_mode(data.get("restricted_mode_setting") or {})
    return settings


def chosen_name(data: Arguments, chat_type: str) -> str:
    """Return the name of the new chat.

    A public chat needs a name of at least two characters; a private chat without one gets a placeholder.

    Raises:
        LarkError: 232042 without a name, 232020 with too short a name.
    """
    name: str = data.get("name") or ""
    if chat_type == "private":
        return name or NO_NAME
    if not name.strip():
        raise LarkError(232042, "Public group chat's name should not be empty.")
    if len(name) < 2:
        raise LarkError(232020, "Name can NOT be less than two characters for public chats.")
    return name


def _restricted_mode(wanted: Object) -> Object:
    """Require that restricted mode restricts something, and that nothing is restricted without it."""
    is_on = wanted.get("status", False)
    restricts = any(wanted.get(name) == "not_anyone" for name in _RESTRICTIONS)
    if is_on != restricts:
        raise invalid_parameter()
    return {"status": is_on, **{name: wanted[name] for name in _RESTRICTIONS if name in wanted}}
