"""Lark's entities, with the field names of its Open API.

Where recorded states of the real server carry a fact inline (a chat's `member_ids`), the column keeps it as sent.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine import fill
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format

TABLES = AppTables("lark")

# How Lark words what a world is made of. The table's columns below say which of these they take.

_AVATAR = (
    "https://p3-lark-file.byteimg.com/img/lark-avatar-staging/"
    "default-avatar_44ae0ca3-e140-494b-956f-78091e348435~100x100.jpg"
)
_TENANT = fill.once("tenant", "{hex:16}")

_SENDER = fill.shape(
    id=fill.key("author"),
    id_type=fill.case("author.kind", {"bot": "app_id"}, "open_id"),
    sender_type=fill.case("author.kind", {"bot": "app"}, "user"),
    tenant_key=_TENANT,
)
_MENTION = fill.shape(
    key=fill.form("@_user_{number}", number=fill.of("nth")), id=fill.key("it"), id_type="open_id", name=fill.of("it.name"),
    tenant_key=_TENANT,
)  # fmt: skip
_TEXT = fill.text("text", mention="@_user_{n}")
_LINE = fill.several(fill.shape(tag="text", text=fill.text("it", mention="@{name}"), style=fill.always([])))
_IMAGE = fill.random("img_v3_02{lower:2}_{uuid4}g")
_FILE = fill.random("file_v3_00{lower:2}_{uuid4}g")
_CONTENT = fill.case(
    "form",
    {
        "text": fill.json_text(fill.shape(text=_TEXT)),
        "post": fill.json_text(fill.shape(title=fill.of("title"), content=fill.items("text", _LINE))),
        "image": fill.json_text(fill.shape(image_key=_IMAGE)),
        "media": fill.json_text(
            fill.shape(file_key=_FILE, image_key=_IMAGE, file_name=fill.of("media.name"), duration=fill.of("media.ms"))
        ),
        "file": fill.json_text(fill.shape(file_key=_FILE, file_name=fill.of("file"))),
    },
)
_BODY = fill.shape(content=fill.case("recalled", {True: "This message was recalled"}, _CONTENT))

_ATTENDEE = fill.shape(
    type="user", attendee_id=fill.random("user_{digits:19}"), rsvp_status=fill.of("it.answer"),
    is_optional=fill.of("it.optional"),
    is_organizer=fill.of("it.by"), is_external=False, display_name=fill.of("it.person.name"), user_id=fill.key("it.person"),
)  # fmt: skip
_TASK_REMINDER = fill.shape(id=fill.random("{digits:4}"), relative_fire_minute=fill.of("remind"))


# An exception of a recurring event bears its id with the moment at which it would have been.
_EVENT_ID = fill.case(
    "instance_of",
    {"present": fill.form("{instance_of.uid}_{original}", original=fill.moment("original", "s"))},
    fill.form("{uid}_0"),
)


def _event_time(name: str) -> fill.Info:
    day = fill.shape(date=fill.moment(name, "date"), timezone="UTC")
    return fill.case(
        "whole_day", {True: day}, fill.shape(timestamp=fill.moment(name, "s"), timezone=fill.of("world.zone"))
    )


def _task_member(role: str) -> fill.Info:
    return fill.shape(id=fill.key("it"), type="user", role=role, name=fill.of("it.name"))


def _editor(name: str) -> fill.Info:
    return fill.shape(
        id=fill.key(name),
        name=fill.of(f"{name}.name"),
        en_name=fill.of(f"{name}.latin"),
        email=fill.of(f"{name}.email"),
    )


# A base's columns: the type's number, how it shows, and the property of the field.
_OPTIONS = fill.shape(
    options=fill.items(
        "options", fill.shape(id=fill.random("opt{alnum:7}"), name=fill.of("it"), color=fill.of("index"))
    )
)
_DATE = fill.always({"date_formatter": "yyyy/MM/dd", "auto_fill": False})
_WITH_TIME = fill.always({"date_formatter": "yyyy/MM/dd HH:mm", "auto_fill": False})
_NULL = fill.always(None)
_COLUMNS: dict[str, tuple[int, str, Any]] = {
    "text": (1, "Text", _NULL),
    "number": (2, "Number", fill.always({"formatter": "0"})),
    "progress": (2, "Progress", fill.always({"formatter": "0%", "min": 0, "max": 1, "range_customize": False})),
    "rating": (2, "Rating", fill.always({"formatter": "0", "min": 1, "max": 5, "rating": {"symbol": "star"}})),
    "money": (2, "Currency", fill.always({"formatter": "0", "currency_code": "CNY"})),
    "select": (3, "SingleSelect", _OPTIONS),
    "choices": (4, "MultiSelect", _OPTIONS),
    "date": (5, "DateTime", fill.case("time", {True: _WITH_TIME}, _DATE)),
    "flag": (7, "Checkbox", _NULL),
    "people": (11, "User", fill.shape(multiple=fill.case("many", {True: True}, False))),
    "phone": (13, "Phone", _NULL),
    "link": (15, "Url", _NULL),
    "records": (18, "SingleLink", fill.shape(multiple=True, table_id=fill.key("target"))),
    "made": (1001, "CreatedTime", _DATE),
    "count": (1005, "AutoNumber", fill.always({"auto_serial": {"type": "auto_increment_number"}})),
}
_CELL = fill.case(
    "it.of.type",
    {
        "people": fill.case("it.value", {"present": fill.items("it.value", fill.shape(id=fill.key("it")))}),
        "date": fill.moment("it.value", as_text=False),
        "records": fill.key("it.value"),
        "link": fill.case(
            "it.value", {"present": fill.shape(link=fill.text("it.value.target"), text=fill.of("it.value.title"))}
        ),
        "made": fill.moment("at", as_text=False),
        "count": fill.of("count"),
    },
    fill.of("it.value"),
)

APP = TABLES.entity(
    "app",
    Column("app_id", Text, primary_key=True, info=id_format("cli_{hex:16}")),
    Column("tenant_key", Text, info=_TENANT),
    Column("bot_enabled", Flag, info=fill.always(True)),
    # 0 stopped by the tenant, 1 in use, 2 installed but not enabled; absent means in use.
    Column("status", Integer),
    # Who may use the app: {is_all, visible_list: {open_ids}, invisible_list: {open_ids}}; absent means everybody.
    Column("visibility", Json),
    # Whether the bot may work in external chats and with users of other tenants.
    Column("external_sharing", Flag),
    made_from="bot",
)

# Which tokens the server holds and what they lack. `identity` is "user" (the token behind useUAT), "app", or the open_id of
# another person who acts. `open_id` names the user; without a row the server holds the token with every scope.
AUTHORIZATION = TABLES.entity(
    "authorization",
    Column("identity", Text, primary_key=True, info=fill.always("user")),
    Column("open_id", Text, info=fill.key("person")),
    Column("missing_scopes", Json),
    Column("expired", Flag),
    made_from="self",
)

USER = TABLES.entity(
    "user",
    Column("open_id", Text, primary_key=True, info=id_format("ou_{hex:32}")),
    Column("union_id", Text, info=id_format("on_{hex:32}")),
    Column("user_id", Text, info=id_format("{lower:8}")),
    Column("name", Text),
    Column("en_name", Text, info=fill.of("latin")),
    Column("email", Text),
    Column("mobile", Text, info=fill.of("phone")),
    Column("tenant_key", Text, info=_TENANT),
    Column("job_title", Text, info=fill.of("role")),
    Column("department", Text),
    Column(
        "status",
        Json,
        info=fill.shape(
            is_activated=fill.case("standing", {"coming": False}, True),
            is_exited=False,
            is_frozen=False,
            is_resigned=fill.case("standing", {"left": True}, False),
            is_unjoin=fill.case("standing", {"coming": True}, False),
        ),
    ),
    made_from="person",
)

CHAT = TABLES.entity(
    "chat",
    Column("chat_id", Text, primary_key=True, info=id_format("oc_{hex:32}")),
    Column("name", Text),
    Column("description", Text, info=fill.of("text")),
    Column("avatar", Text, info=fill.always(_AVATAR)),
    Column("i18n_names", Json, info=fill.always({})),
    Column("owner_id", Text, info=fill.key("owner")),
    Column("owner_id_type", Text, info=fill.case("owner", {"present": "open_id"})),
    Column("chat_mode", Text, info=fill.case("form", {"group": "group"}, "p2p")),
    Column("chat_type", Text, info=fill.always("private")),
    Column("group_message_type", Text, info=fill.always("chat")),
    Column("chat_status", Text, info=fill.always("normal")),
    Column("external", Flag, info=fill.always(False)),
    Column("tenant_key", Text, info=_TENANT),
    Column("chat_tag", Text),
    Column("member_ids", Json, info=fill.case("form", {"group": None}, fill.key("members"))),
    Column("bot_ids", Json, info=fill.key("bots")),
    Column("user_manager_id_list", Json),
    Column("bot_manager_id_list", Json),
    Column("moderator_id_list", Json),
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
    Column("restricted_mode_setting", Json),
    Column("create_time", Text, info=fill.moment("at")),
    made_from="place",
)

CHAT_MEMBER = TABLES.entity(
    "chat_member",
    Column("chat_id", Text, primary_key=True, info=fill.key("place")),
    Column("member_id", Text, primary_key=True, info=fill.key("person")),
    Column("member_id_type", Text, info=fill.always("open_id")),
    Column("name", Text, info=fill.of("person.name")),
    Column("tenant_key", Text, info=_TENANT),
    parents={"chat": "chat_id"},
    made_from="member",
)

MESSAGE = TABLES.entity(
    "message",
    Column("message_id", Text, primary_key=True, info=id_format("om_{hex:32}")),
    Column("root_id", Text, info=fill.key("root")),
    Column("parent_id", Text, info=fill.key("answers")),
    Column("thread_id", Text, info=fill.case("threaded", {True: fill.random("omt_{hex:16}", per="root")})),
    Column("upper_message_id", Text),
    Column("msg_type", Text, info=fill.of("form")),
    Column("create_time", Text, info=fill.moment("at")),
    Column("update_time", Text, info=fill.moment("edited")),
    Column("deleted", Flag, info=fill.of("recalled")),
    Column("updated", Flag, info=fill.of("changed")),
    Column("chat_id", Text, info=fill.key("place")),
    Column("sender", Json, info=_SENDER),
    Column("body", Json, info=_BODY),
    Column("mentions", Json, info=fill.case("mentions", {"present": fill.items("mentions", _MENTION)})),
    parents={"chat": "chat_id"},
)

CALENDAR = TABLES.entity(
    "calendar",
    Column("calendar_id", Text, primary_key=True, info=id_format("feishu.cn_{alnum:22}@group.calendar.feishu.cn")),
    Column("user_id", Text, info=fill.key("owner")),
    Column("summary", Text, info=fill.of("title")),
    Column("description", Text, info=fill.of("text")),
    Column("permissions", Text, info=fill.case("open", {True: "public"}, "show_only_free_busy")),
    Column("color", Integer, info=fill.case("form", {"shared": -14841601}, -1)),
    Column("type", Text, info=fill.of("form")),
    Column("summary_alias", Text, info=fill.always("")),
    Column("is_deleted", Flag, info=fill.always(False)),
    Column("is_third_party", Flag, info=fill.always(False)),
    Column("role", Text, info=fill.case("form", {"shared": "writer"})),
    parents={"user": "user_id"},
)

CALENDAR_EVENT = TABLES.entity(
    "calendar_event",
    Column("event_id", Text, primary_key=True, info=id_format("{uuid4}_0") | _EVENT_ID),
    Column("organizer_calendar_id", Text, info=fill.key("calendar")),
    Column("summary", Text, info=fill.of("title")),
    Column("description", Text, info=fill.text()),
    Column("start_time", Json, info=_event_time("start")),
    Column("end_time", Json, info=_event_time("end")),
    Column(
        "vchat",
        Json,
        info=fill.case(
            "online", {True: fill.shape(vc_type="vc", meeting_url=fill.random("https://vc.feishu.cn/j/{digits:9}"))}
        ),
    ),
    Column("visibility", Text, info=fill.case("closed", {True: "private"}, "default")),
    Column("attendee_ability", Text, info=fill.case("guests", {"present": "can_see_others"}, "none")),
    Column("free_busy_status", Text, info=fill.case("free", {True: "free"}, "busy")),
    Column(
        "location",
        Json,
        info=fill.case("location", {"present": fill.shape(name=fill.of("location"), address=fill.of("address"))}),
    ),
    Column("color", Integer, info=fill.always(-1)),
    Column(
        "reminders",
        Json,
        info=fill.case("remind", {"present": fill.several(fill.shape(minutes=fill.of("remind")))}, fill.always([])),
    ),
    Column("recurrence", Text, info=fill.of("repeat")),
    Column("status", Text, info=fill.case("cancelled", {True: "cancelled"}, "confirmed")),
    Column("is_exception", Flag, info=fill.case("instance_of", {"present": True}, False)),
    Column("recurring_event_id", Text, info=fill.key("instance_of")),
    Column("create_time", Text, info=fill.moment("at", "s")),
    Column("schemas", Json),
    Column("event_organizer", Json, info=fill.shape(user_id=fill.key("by"), display_name=fill.of("by.name"))),
    Column(
        "app_link",
        Text,
        info=fill.form(
            "https://applink.feishu.cn/client/calendar/event/detail?calendarId={calendar}&key={event_id}&originalTime=0&startTime={start}",
            calendar=fill.random("{digits:19}", per="calendar"),
            start=fill.moment("start", "s"),
        ),
    ),
    Column("attachments", Json),
    Column("event_check_in", Json),
    Column("attendees", Json, info=fill.items("guests", _ATTENDEE)),
    parents={"calendar": "organizer_calendar_id"},
    made_from="event",
)

TASK = TABLES.entity(
    "task",
    Column("guid", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("summary", Text, info=fill.of("title")),
    Column("description", Text, info=fill.text()),
    Column(
        "due",
        Json,
        info=fill.case("due", {"present": fill.shape(timestamp=fill.moment("due"), is_all_day=fill.of("whole_day"))}),
    ),
    Column("reminders", Json, info=fill.case("remind", {"present": fill.several(_TASK_REMINDER)}, fill.always([]))),
    Column(
        "creator",
        Json,
        info=fill.shape(id=fill.key("by"), type=fill.case("by.kind", {"bot": "app"}, "user"), role="creator"),
    ),
    Column(
        "members",
        Json,
        info=fill.several(
            fill.items("to", _task_member("assignee")), fill.items("followers", _task_member("follower"))
        ),
    ),
    Column("completed_at", Text, info=fill.moment("done", otherwise="0")),
    Column("attachments", Json, info=fill.always([])),
    Column("origin", Json),
    Column("extra", Text),
    Column("tasklists", Json, info=fill.always([])),
    Column("repeat_rule", Text, info=fill.of("repeat")),
    Column("parent_task_guid", Text, info=fill.case("parent", {"present": fill.key("parent")}, "")),
    Column("mode", Integer, info=fill.of("mode")),
    Column("source", Integer, info=fill.case("by.kind", {"bot": 6}, 1)),
    Column("custom_complete", Json),
    Column("custom_fields", Json),
    Column("docx_source", Json),
    Column("task_id", Text, info=id_format("t{digits:7}")),
    Column("created_at", Text, info=fill.moment("at")),
    Column("updated_at", Text, info=fill.moment("edited")),
    Column("status", Text, info=fill.of("state")),
    Column(
        "url",
        Text,
        info=fill.form("https://applink.feishu.cn/client/todo/detail?guid={guid}&suite_entity_num={task_id}"),
    ),
    Column("start", Json),
    Column("subtask_count", Integer, info=fill.count("task", "parent")),
    Column("is_milestone", Flag, info=fill.of("milestone")),
)

BITABLE_APP = TABLES.entity(
    "bitable_app",
    Column("app_token", Text, primary_key=True, info=id_format("{alnum:27}")),
    Column("name", Text, info=fill.of("title")),
    Column("folder_token", Text, info=fill.random("fldcn{alnum:22}")),
    Column("url", Text, info=fill.form("https://example.feishu.cn/base/{app_token}")),
    Column("time_zone", Text, info=fill.of("world.zone")),
    Column("default_table_id", Text, info=fill.key("first_table")),
    Column("owner_id", Text, info=fill.key("owner")),
    # Advanced permissions: only those who may manage the base get in.
    Column("is_advanced", Flag),
    made_from="base",
    link="https://example.feishu.cn/base/{app_token}",
)

TABLE = TABLES.entity(
    "table",
    Column("table_id", Text, primary_key=True, info=id_format("tbl{alnum:13}")),
    Column("app_token", Text, info=fill.key("base")),
    Column("name", Text, info=fill.of("title")),
    Column("revision", Integer, info=fill.random(low=40, high=900)),
    Column("default_view_id", Text, info=id_format("vew{alnum:7}")),
    Column("default_view_name", Text, info=fill.of("view")),
    parents={"bitable_app": "app_token"},
    link="https://example.feishu.cn/base/{app_token}?table={table_id}&view={default_view_id}",
)

FIELD = TABLES.entity(
    "field",
    Column("table_id", Text, primary_key=True, info=fill.key("table")),
    Column("field_id", Text, primary_key=True, info=id_format("fld{alnum:7}")),
    Column("app_token", Text, info=fill.key("table.base")),
    Column("field_name", Text, info=fill.of("name")),
    Column("type", Integer, info=fill.case("type", {name: kind for name, (kind, _, _) in _COLUMNS.items()})),
    Column("ui_type", Text, info=fill.case("type", {name: shown for name, (_, shown, _) in _COLUMNS.items()})),
    Column("is_primary", Flag, info=fill.of("first")),
    Column("property", Json, info=fill.case("type", {name: detail for name, (_, _, detail) in _COLUMNS.items()})),
    Column("description", Json),
    parents={"table": "table_id"},
    made_from="column",
)

RECORD = TABLES.entity(
    "record",
    Column("table_id", Text, primary_key=True, info=fill.key("table")),
    Column("record_id", Text, primary_key=True, info=id_format("rec{alnum:11}")),
    Column("app_token", Text, info=fill.key("table.base")),
    Column("fields", Json, info=fill.entries("cells", over="table.columns", value=_CELL)),
    Column("created_by", Json, info=_editor("by")),
    Column("created_time", Integer, info=fill.moment("at", as_text=False)),
    Column("last_modified_by", Json, info=_editor("edited_by")),
    Column("last_modified_time", Integer, info=fill.moment("edited", as_text=False)),
    parents={"table": "table_id"},
)

DOCUMENT = TABLES.entity(
    "document",
    Column("document_id", Text, primary_key=True, info=id_format("{alnum:27}")),
    Column("title", Text),
    Column("content", Text, info=fill.form("{title}\n{body}", body=fill.text())),
    Column("owner_id", Text, info=fill.key("owner")),
    Column("docs_type", Text, info=fill.always("doc")),
    Column("chat_ids", Json, info=fill.key("chats")),
    Column("deleted", Flag),
    Column("create_time", Text, info=fill.moment("at", "s")),
    Column("update_time", Text, info=fill.moment("edited", "s")),
    link="https://example.feishu.cn/docx/{document_id}",
)

# The members of a document, a base or a wiki node: `token` is any of their tokens, `token_type` the kind asked with.
PERMISSION_MEMBER = TABLES.entity(
    "permission_member",
    Column("token", Text, primary_key=True, info=fill.key("of")),
    Column(
        "member_type", Text, primary_key=True, info=fill.case("with.kind", {"person": "openid", "place": "openchat"})
    ),
    Column("member_id", Text, primary_key=True, info=fill.key("with")),
    Column("token_type", Text, info=fill.case("of.kind", {"document": "docx", "base": "bitable"})),
    Column("perm", Text, info=fill.of("right")),
    Column("perm_type", Text, info=fill.always("container")),
    Column("type", Text, info=fill.case("with.kind", {"person": "user", "place": "chat"})),
    parents={"document": "token"},
    made_from="share",
)

WIKI_SPACE = TABLES.entity(
    "wiki_space",
    Column("space_id", Text, primary_key=True, info=id_format("{digits:19}")),
    Column("name", Text, info=fill.of("title")),
    Column("description", Text, info=fill.of("text")),
    Column("space_type", Text, info=fill.always("team")),
    Column("visibility", Text, info=fill.always("private")),
    made_from="space",
)

WIKI_NODE = TABLES.entity(
    "wiki_node",
    Column("node_token", Text, primary_key=True, info=id_format("wik{alnum:24}")),
    Column("space_id", Text, info=fill.key("space")),
    Column("obj_token", Text, info=fill.key("of")),
    Column("obj_type", Text, info=fill.case("of.kind", {"document": "docx", "base": "bitable"})),
    Column("parent_node_token", Text, info=fill.case("parent", {"present": fill.key("parent")}, "")),
    Column("node_type", Text, info=fill.always("origin")),
    Column("origin_node_token", Text, info=fill.key("self")),
    Column("origin_space_id", Text, info=fill.key("space")),
    Column("has_child", Flag, info=fill.count("page", "parent", as_flag=True)),
    Column("title", Text),
    Column("obj_create_time", Text, info=fill.moment("of.at", "s")),
    Column("obj_edit_time", Text, info=fill.moment("of.edited", "s", otherwise=fill.moment("of.at", "s"))),
    Column("node_create_time", Text, info=fill.moment("at", "s")),
    Column("creator", Text, info=fill.key("creator")),
    Column("owner", Text, info=fill.key("owner")),
    Column("node_creator", Text, info=fill.key("creator")),
    parents={"wiki_space": "space_id"},
    made_from="page",
    link="https://example.feishu.cn/wiki/{node_token}",
)

# What a caller's own token (uuid, idempotency_key, client_token) has already made, so that a repeat makes nothing.
IDEMPOTENCY = TABLES.entity(
    "idempotency",
    Column("scope", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("made", Json),
    Column("made_at", Integer),
)
