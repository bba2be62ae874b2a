"""Lark's entities, with the field names of its Open API.

If recorded states of the real server hold a fact inline (a chat's `member_ids`), the column stores it as sent.
"""

from __future__ import annotations

import orjson
from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, Object, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("lark")

_BY_LANGUAGE = {...: str}
_PERSON = {"id": str, "name": str, "en_name": str, "email": str}
_MEMBER = {"id": str, "type": str, "role": str, "name": str}
_MOMENT = {"timestamp": str, "date": str, "timezone": str}
_DAY = {"timestamp": str, "is_all_day": bool}
_VIDEO = {
    **dict.fromkeys(("vc_type", "icon_type", "description", "meeting_url"), str),
    "meeting_settings": {
        **dict.fromkeys(("owner_id", "join_meeting_permission", "password"), str),
        "assign_hosts": [str],
        **dict.fromkeys(("auto_record", "open_lobby", "allow_attendees_start"), bool),
    },
}
_CHECK_IN_TIME = {"time_type": str, "duration": int}
_CHECK_IN = {
    **dict.fromkeys(("enable_check_in", "need_notify_attendees"), bool),
    **dict.fromkeys(("check_in_start_time", "check_in_end_time"), _CHECK_IN_TIME),
}
_ATTENDEE = {
    **dict.fromkeys(("type", "attendee_id", "user_id", "chat_id", "room_id", "third_party_email"), str),
    **dict.fromkeys(("rsvp_status", "display_name"), str),
    **dict.fromkeys(("is_optional", "is_organizer", "is_external"), bool),
    "personal": {"color": int, "visibility": str, "free_busy_status": str, "reminders": [{"minutes": int}]},
}
_CUSTOM_FIELD = {
    **dict.fromkeys(
        ("guid", "type", "name", "number_value", "text_value", "datetime_value", "single_select_value"), str
    ),
    "member_value": [_MEMBER],
    "multi_select_value": [str],
}
_PROPERTY = {
    "options": [{"id": str, "name": str, "color": int}],
    "auto_serial": {"type": str, "options": [{"type": str, "value": str}]},
    "location": {"input_type": str},
    "rating": {"symbol": str},
    **dict.fromkeys(("table_id", "table_name", "back_field_id", "back_field_name", "currency_code"), str),
    **dict.fromkeys(("formatter", "date_formatter", "formula_expression"), str),
    **dict.fromkeys(("auto_fill", "multiple", "range_customize"), bool),
    **dict.fromkeys(("min", "max"), float),
}

APP = TABLES.entity(
    "app",
    Column("app_id", Text, primary_key=True, info=id_format("cli_{hex:16}")),
    Column("tenant_key", Text),
    Column("bot_enabled", Flag),
    # 0 stopped by the tenant, 1 in use, 2 installed but not enabled; absent means in use
    Column("status", Integer),
    # The availability of the app: {is_all, visible_list: {open_ids}, invisible_list: {open_ids}}; absent means every
    # user.
    Column(
        "visibility",
        Json,
        info=shape({"is_all": bool, "visible_list": {"open_ids": [str]}, "invisible_list": {"open_ids": [str]}}),
    ),
    # Whether the bot may work in external chats and with users of other tenants.
    Column("external_sharing", Flag),
)

# The tokens that the server holds and the scopes that they lack. `identity` is "user" (the token of useUAT), "app", or
# the open_id of another acting person. `open_id` names the user. Without a row the server holds the token with every
# scope.
AUTHORIZATION = TABLES.entity(
    "authorization",
    Column("identity", Text, primary_key=True),
    Column("open_id", Text),
    Column("missing_scopes", Json, info=shape([str])),
    Column("expired", Flag),
)

USER = TABLES.entity(
    "user",
    Column("open_id", Text, primary_key=True, info=id_format("ou_{hex:32}")),
    Column("union_id", Text, info=id_format("on_{hex:32}")),
    Column("user_id", Text, info=id_format("{lower:8}")),
    Column("name", Text),
    Column("en_name", Text),
    Column("email", Text),
    Column("mobile", Text),
    Column("tenant_key", Text),
    Column("job_title", Text),
    Column("department", Text),
    Column("status", Json, info=shape({...: bool})),
)

CHAT = TABLES.entity(
    "chat",
    Column("chat_id", Text, primary_key=True, info=id_format("oc_{hex:32}")),
    Column("name", Text),
    Column("description", Text),
    Column("avatar", Text),
    Column("i18n_names", Json, info=shape(_BY_LANGUAGE)),
    Column("owner_id", Text),
    Column("owner_id_type", Text),
    Column("chat_mode", Text),
    Column("chat_type", Text),
    Column("group_message_type", Text),
    Column("chat_status", Text),
    Column("external", Flag),
    Column("tenant_key", Text),
    Column("chat_tag", Text),
    Column("member_ids", Json, info=shape(([str], None))),
    Column("bot_ids", Json, info=shape([str])),
    Column("user_manager_id_list", Json, info=shape([str])),
    Column("bot_manager_id_list", Json, info=shape([str])),
    Column("moderator_id_list", Json, info=shape([str])),
    Column("urgent_setting", Text),
    Column("video_conference_setting", Text),
    Column("add_member_permission", Text),
    Column("share_card_permission", Text),
    Column("at_all_permission", Text),
    Column("edit_permission", Text),
    Column("moderation_permission", Text),
    Column("join_message_visibility", Text),
    Column("leave_message_visibility", Text),
    Column("membership_approval", Text),
    Column("hide_member_count_setting", Text),
    Column("restricted_mode_setting", Json, info=shape({"status": bool, ...: str})),
    Column("create_time", Text),
)

CHAT_MEMBER = TABLES.entity(
    "chat_member",
    Column("chat_id", Text, primary_key=True),
    Column("member_id", Text, primary_key=True),
    Column("member_id_type", Text),
    Column("name", Text),
    Column("tenant_key", Text),
    parents={"chat": "chat_id"},
)

MESSAGE = TABLES.entity(
    "message",
    Column("message_id", Text, primary_key=True, info=id_format("om_{hex:32}")),
    Column("root_id", Text),
    Column("parent_id", Text),
    Column("thread_id", Text),
    Column("upper_message_id", Text),
    Column("msg_type", Text),
    Column("create_time", Text),
    Column("update_time", Text),
    Column("deleted", Flag),
    Column("updated", Flag),
    Column("chat_id", Text),
    Column("sender", Json, info=shape({"id": str, "id_type": str, "sender_type": str, "tenant_key": str})),
    Column("body", Json, info=shape({"content": str})),
    Column("mentions", Json, info=shape([{"key": str, "id": str, "id_type": str, "name": str, "tenant_key": str}])),
    parents={"chat": "chat_id"},
)

CALENDAR = TABLES.entity(
    "calendar",
    Column("calendar_id", Text, primary_key=True, info=id_format("feishu.cn_{alnum:22}@group.calendar.feishu.cn")),
    Column("user_id", Text),
    Column("summary", Text),
    Column("description", Text),
    Column("permissions", Text),
    Column("color", Integer),
    Column("type", Text),
    Column("summary_alias", Text),
    Column("is_deleted", Flag),
    Column("is_third_party", Flag),
    Column("role", Text),
    parents={"user": "user_id"},
)

CALENDAR_EVENT = TABLES.entity(
    "calendar_event",
    Column("event_id", Text, primary_key=True, info=id_format("{uuid4}_0")),
    Column("organizer_calendar_id", Text),
    Column("summary", Text),
    Column("description", Text),
    Column("start_time", Json, info=shape(_MOMENT)),
    Column("end_time", Json, info=shape(_MOMENT)),
    Column("vchat", Json, info=shape(_VIDEO)),
    Column("visibility", Text),
    Column("attendee_ability", Text),
    Column("free_busy_status", Text),
    Column("location", Json, info=shape({"name": str, "address": str, "latitude": float, "longitude": float})),
    Column("color", Integer),
    Column("reminders", Json, info=shape([{"minutes": int}])),
    Column("recurrence", Text),
    Column("status", Text),
    Column("is_exception", Flag),
    Column("recurring_event_id", Text),
    Column("create_time", Text),
    Column("schemas", Json, info=shape([{"ui_name": str, "ui_status": str}])),
    Column("event_organizer", Json, info=shape({"user_id": str, "display_name": str})),
    Column("app_link", Text),
    Column("attachments", Json, info=shape([{"file_token": str}])),
    Column("event_check_in", Json, info=shape(_CHECK_IN)),
    Column("attendees", Json, info=shape([_ATTENDEE])),
    parents={"calendar": "organizer_calendar_id"},
)

TASK = TABLES.entity(
    "task",
    Column("guid", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("summary", Text),
    Column("description", Text),
    Column("due", Json, info=shape(_DAY)),
    Column("reminders", Json, info=shape([{"id": str, "relative_fire_minute": int}])),
    Column("creator", Json, info=shape((_MEMBER, None))),
    Column("members", Json, info=shape(([_MEMBER], None))),
    Column("completed_at", Text),
    Column("attachments", Json, info=shape([dict])),
    Column("origin", Json, info=shape({"platform_i18n_name": _BY_LANGUAGE, "href": {"url": str, "title": str}})),
    Column("extra", Text),
    Column("tasklists", Json, info=shape([{"tasklist_guid": str, "section_guid": str}])),
    Column("repeat_rule", Text),
    Column("parent_task_guid", Text),
    Column("mode", Integer),
    Column("source", Integer),
    Column("custom_complete", Json, info=shape({...: {"href": str, "tip": _BY_LANGUAGE}})),
    Column("custom_fields", Json, info=shape([_CUSTOM_FIELD])),
    Column("docx_source", Json, info=shape(dict)),
    Column("task_id", Text, info=id_format("t{digits:7}")),
    Column("created_at", Text),
    Column("updated_at", Text),
    Column("status", Text),
    Column("url", Text),
    Column("start", Json, info=shape(_DAY)),
    Column("subtask_count", Integer),
    Column("is_milestone", Flag),
)

BITABLE_APP = TABLES.entity(
    "bitable_app",
    Column("app_token", Text, primary_key=True, info=id_format("{alnum:27}")),
    Column("name", Text),
    Column("folder_token", Text),
    Column("url", Text),
    Column("time_zone", Text),
    Column("default_table_id", Text),
    Column("owner_id", Text),
    # With advanced permissions only people who may manage the base have access.
    Column("is_advanced", Flag),
)

TABLE = TABLES.entity(
    "table",
    Column("table_id", Text, primary_key=True, info=id_format("tbl{alnum:13}")),
    Column("app_token", Text),
    Column("name", Text),
    Column("revision", Integer),
    Column("default_view_id", Text, info=id_format("vew{alnum:7}")),
    Column("default_view_name", Text),
    parents={"bitable_app": "app_token"},
)

FIELD = TABLES.entity(
    "field",
    Column("table_id", Text, primary_key=True),
    Column("field_id", Text, primary_key=True, info=id_format("fld{alnum:7}")),
    Column("app_token", Text),
    Column("field_name", Text),
    Column("type", Integer),
    Column("ui_type", Text),
    Column("is_primary", Flag),
    Column("property", Json, info=shape((_PROPERTY, None))),
    Column("description", Json, info=shape((str, dict, list))),
    parents={"table": "table_id"},
)

RECORD = TABLES.entity(
    "record",
    Column("table_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True, info=id_format("rec{alnum:11}")),
    Column("app_token", Text),
    Column("fields", Json, info=shape(dict)),
    Column("created_by", Json, info=shape(_PERSON)),
    Column("created_time", Integer),
    Column("last_modified_by", Json, info=shape(_PERSON)),
    Column("last_modified_time", Integer),
    parents={"table": "table_id"},
)

DOCUMENT = TABLES.entity(
    "document",
    Column("document_id", Text, primary_key=True, info=id_format("{alnum:27}")),
    Column("title", Text),
    Column("content", Text),
    Column("owner_id", Text),
    Column("docs_type", Text),
    Column("chat_ids", Json, info=shape([str])),
    Column("deleted", Flag),
    Column("create_time", Text),
    Column("update_time", Text),
)

# The members of a document, a base or a wiki node: `token` is any of their tokens, `token_type` the type it was
# requested with.
PERMISSION_MEMBER = TABLES.entity(
    "permission_member",
    Column("token", Text, primary_key=True),
    Column("member_type", Text, primary_key=True),
    Column("member_id", Text, primary_key=True),
    Column("token_type", Text),
    Column("perm", Text),
    Column("perm_type", Text),
    Column("type", Text),
    parents={"document": "token"},
)

WIKI_SPACE = TABLES.entity(
    "wiki_space",
    Column("space_id", Text, primary_key=True, info=id_format("{digits:19}")),
    Column("name", Text),
    Column("description", Text),
    Column("space_type", Text),
    Column("visibility", Text),
)

WIKI_NODE = TABLES.entity(
    "wiki_node",
    Column("node_token", Text, primary_key=True, info=id_format("wik{alnum:24}")),
    Column("space_id", Text),
    Column("obj_token", Text),
    Column("obj_type", Text),
    Column("parent_node_token", Text),
    Column("node_type", Text),
    Column("origin_node_token", Text),
    Column("origin_space_id", Text),
    Column("has_child", Flag),
    Column("title", Text),
    Column("obj_create_time", Text),
    Column("obj_edit_time", Text),
    Column("node_create_time", Text),
    Column("creator", Text),
    Column("owner", Text),
    Column("node_creator", Text),
    parents={"wiki_space": "space_id"},
)

# Results of calls with a caller's idempotency token (uuid, idempotency_key, client_token), so that a repeat creates
# nothing.
IDEMPOTENCY = TABLES.entity(
    "idempotency",
    Column("scope", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("made", Json, info=shape((str, dict))),
    Column("made_at", Integer),
)


def _read_message(message: Object) -> str:
    """Return a message as its chat shows it: the text, or a post's title and runs, with people's names."""
    try:
        content = orjson.loads(message["body"]["content"])
    except (KeyError, TypeError, orjson.JSONDecodeError):
        return ""
    text = " ".join(_strings(content))
    for mention in message.get("mentions") or []:
        text = text.replace(str(mention.get("key")), f"@{mention.get('name')}")
    return text


def _strings(content: object) -> list[str]:
    """Return the texts in a message's content: of `{"text": …}`, a post's runs or a card's elements."""
    if isinstance(content, dict):
        own = [content[k] for k in ("title", "text", "content") if isinstance(content.get(k), str)]
        return own + [s for v in content.values() if not isinstance(v, str) for s in _strings(v)]
    return [s for v in content for s in _strings(v)] if isinstance(content, list) else []


MEANING = Meaning(
    automatic={
        "message": frozenset({"update_time", "updated"}),
        "calendar_event": frozenset({"app_link", "create_time"}),
        "task": frozenset({"updated_at", "created_at", "url", "task_id", "subtask_count"}),
        "table": frozenset({"revision"}),
        "record": frozenset({"last_modified_by", "last_modified_time", "created_time"}),
        "document": frozenset({"update_time"}),
        "wiki_node": frozenset({"obj_edit_time"}),
    },
    bookkeeping=frozenset({"idempotency"}),
    outward=frozenset({"message"}),
    text={
        "message": _read_message,
        "calendar_event": lambda row: "\n".join(row[k] for k in ("summary", "description") if row.get(k)),
        "task": lambda row: "\n".join(row[k] for k in ("summary", "description") if row.get(k)),
        "document": lambda row: row.get("content") or row.get("title") or "",
        "chat": lambda row: row.get("name") or "",
    },
)
