"""Fields of a task: validation and stored form.

The API gateway rejects wrong sizes (99992402), the task service rejects wrong values (1470400). Limits:
https://open.feishu.cn/document/task-v2/task/create and https://open.feishu.cn/document/task-v2/task/overview.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.field_sizes import check_range, check_size
from soundstage.kernels.lark.rules.recurrence_text import parse
from soundstage.kernels.lark.rules.task import refusals
from soundstage.kernels.types import Arguments

TEXT_LIMIT = 3000
MEMBERS_A_CALL = 50
MEMBERS_A_ROLE = 50
MODES = (1, 2)  # all assignees must finish, or any of them
ROLES = ("assignee", "follower")
TYPES = ("user", "app")
_DAY_MS, _SECOND_MS = 86_400_000, 1000
_LAST_MS = 253_402_300_799_999  # the end of the year 9999
_MINUTES_LIMIT = 2**31
_DIGITS = re.compile(r"-?\d{1,20}", re.ASCII)
_SIZES = {"task_guid": (0, 100), "client_token": (10, 100), "completed_at": (0, 20)}
_SIZES |= {"extra": (0, 65536), "repeat_rule": (0, 1000)}
_I18N_LIMIT = 1000
_LIMITED_LANGUAGES = ("en_us", "zh_cn", "zh_hk", "zh_tw", "ja_jp")


def check_sizes(values: Arguments) -> None:
    """Perform the gateway's checks of the texts of a call.

    Raises:
        LarkError: 99992402.
    """
    for field, (shortest, longest) in _SIZES.items():
        if field in values:
            check_size(field, values[field], shortest, longest)
    for member in values.get("members", ()):
        check_size("members.id", member["id"], 0, 100)
        check_size("members.role", member["role"], 0, 20)
    if "mode" in values:
        check_range("mode", values["mode"], *MODES)
        if values["mode"] != int(values["mode"]):
            raise field_violation("mode", "mode must be an integer")
    origin = values.get("origin", {})
    _check_names("origin.platform_i18n_name", origin.get("platform_i18n_name", {}))
    check_size("origin.href.url", origin.get("href", {}).get("url", ""), 0, 1024)
    check_size("origin.href.title", origin.get("href", {}).get("title", ""), 0, 512)
    for device, action in values.get("custom_complete", {}).items():
        _check_names(f"custom_complete.{device}.tip", action.get("tip", {}))


def summary(sent: str) -> str:
    """Return a valid summary."""
    if not sent:
        raise refusals.invalid_param("summary", "must not be empty.")
    return _text("summary", sent)


def description(sent: str) -> str:
    """Return a valid description."""
    return _text("description", sent)


def parse_time(field: str, sent: Arguments) -> Object | None:
    """Return `start` or `due` as stored: a time to the second, a date to the day, None for a timestamp of 0.

    Raises:
        LarkError: 1470400.
    """
    if not sent.get("timestamp"):
        raise refusals.invalid_param(f"{field}.timestamp", "param is required.")
    milliseconds = timestamp(f"{field}.timestamp", sent["timestamp"])
    if milliseconds == 0:
        return None
    is_all_day = sent.get("is_all_day", False)
    precision = _DAY_MS if is_all_day else _SECOND_MS
    return {"timestamp": str(milliseconds // precision * precision), "is_all_day": is_all_day}


def timestamp(field: str, sent: str) -> int:
    """Return a time in milliseconds since 1970.

    Raises:
        LarkError: 1470400.
    """
    if not _DIGITS.fullmatch(sent):
        raise refusals.invalid_param(field, "must be a timestamp in milliseconds.")
    if not 0 <= int(sent) <= _LAST_MS:
        raise refusals.invalid_param(field, f"must be between 0 and {_LAST_MS}.")
    return int(sent)


def check_plan(start: Object | None, due: Object | None) -> None:
    """Require that start is not later than due, and that both are dates or both are times.

    Raises:
        LarkError: 1470400.
    """
    if start is None or due is None:
        return
    if start.get("is_all_day", False) != due.get("is_all_day", False):
        raise refusals.invalid_param("start", "is_all_day of start and due must be the same.")
    if int(start["timestamp"]) > int(due["timestamp"]):
        raise refusals.invalid_param("start", "start time must not be later than due time.")


def repeat_rule(sent: str, due: Object | None) -> str:
    """Return a valid `repeat_rule`, which requires a due time.

    Raises:
        LarkError: 1470400.
    """
    if due is None:
        raise refusals.invalid_param("repeat_rule", "cannot set repeat_rule without setting due.")
    try:
        parse(sent)
    except ValueError as error:
        raise refusals.invalid_param("repeat_rule", f"{error}.") from None
    return sent


def reminder(context: AppContext, sent: Arguments, due: Object | None) -> Object:
    """Return a valid reminder, which requires a due time.

    Raises:
        LarkError: 1470400.
    """
    minutes = sent["relative_fire_minute"]
    if not 0 <= minutes < _MINUTES_LIMIT or minutes != int(minutes):
        raise refusals.invalid_param("reminders", "relative_fire_minute must be a non-negative integer.")
    if due is None:
        raise refusals.invalid_param("reminders", "cannot set reminders without setting due.")
    return {"id": context.new_id("task_reminder", "{digits:19}"), "relative_fire_minute": int(minutes)}


def members(context: AppContext, sent: list[Arguments], id_type: str) -> list[Object]:
    """Return the sent members, each once, in stored form: users by open_id, with their names.

    Raises:
        LarkError: 1470400; 1470500 for an unknown id.
    """
    for member in sent:
        if member["role"] not in ROLES:
            raise refusals.invalid_param("members", "role is invalid. Only 'assignee', 'follower' are supported.")
        if member.get("type", "user") not in TYPES:
            raise refusals.invalid_param("members", "type is invalid. Only 'user', 'app' are supported.")
    unique: dict[tuple[str, str, str], Object] = {}
    for member in sent:
        stored = _member(context, member, id_type)
        unique.setdefault((stored["id"], stored["type"], stored["role"]), stored)
    if len(unique) > MEMBERS_A_CALL:
        raise refusals.invalid_param("members", f"at most {MEMBERS_A_CALL} members are supported.")
    return list(unique.values())


def with_members(present: list[Object], new: list[Object]) -> list[Object]:
    """Return the members with new ones added; existing members are skipped.

    Raises:
        LarkError: 1470610, 1470611.
    """
    taken = {(member.get("id"), member.get("type", "user"), member.get("role")) for member in present}
    added = [member for member in new if (member["id"], member["type"], member["role"]) not in taken]
    after = [*present, *added]
    for role in ROLES:
        if any(m["role"] == role for m in added) and sum(m.get("role") == role for m in after) > MEMBERS_A_ROLE:
            raise refusals.too_many(role)
    return after


def check_origin(origin: Arguments) -> None:
    """Require that the origin's address is a web address."""
    url = origin.get("href", {}).get("url", "")
    if url and not url.startswith(("https://", "http://")):
        raise refusals.invalid_param("origin.href.url", "must start with 'https://' or 'http://'.")


def _member(context: AppContext, sent: Arguments, id_type: str) -> Object:
    kind = sent.get("type", "user")
    if kind == "app":
        if not sent["id"].startswith("cli_"):
            raise refusals.server_failure("the app among the members does not exist.", kind="not_found")
        return {"id": sent["id"], "type": kind, "role": sent["role"]}
    user = people.find_user(context, sent["id"], id_type)
    # A state without any user has no information about which users exist.
    if user is None and (not people.is_well_formed(sent["id"], id_type) or context.first("user") is not None):
        raise refusals.server_failure("the user among the members does not exist.", kind="not_found")
    name = (user or {}).get("name") or sent.get("name")
    stored = {"id": (user or {}).get("open_id", sent["id"]), "type": kind, "role": sent["role"]}
    return {**stored, "name": name} if name else stored


def _text(field: str, sent: str) -> str:
    if len(sent) > TEXT_LIMIT:
        raise refusals.invalid_param(field, f"exceeds the max length of {TEXT_LIMIT}.")
    return sent


def _check_names(field: str, names: Arguments) -> None:
    for language in _LIMITED_LANGUAGES:
        check_size(f"{field}.{language}", names.get(language, ""), 0, _I18N_LIMIT)
