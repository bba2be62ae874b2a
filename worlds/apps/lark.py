"""Lark's rows from the content of a world."""

from __future__ import annotations

from typing import Any

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

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


# The id of an exception consists of the recurring event's id and the original start time.
_EVENT_ID = fill.case(
    "instance_of",
    {"present": fill.form("{instance_of.uid}_{original}", original=fill.moment("original", "s"))},
    fill.form("{uid}_0"),
)


def _event_time(name: str) -> fill.Filler:
    day = fill.shape(date=fill.moment(name, "date"), timezone="UTC")
    return fill.case(
        "whole_day", {True: day}, fill.shape(timestamp=fill.moment(name, "s"), timezone=fill.of("world.zone"))
    )


def _task_member(role: str) -> fill.Filler:
    return fill.shape(id=fill.key("it"), type="user", role=role, name=fill.of("it.name"))


def _editor(name: str) -> fill.Filler:
    return fill.shape(
        id=fill.key(name),
        name=fill.of(f"{name}.name"),
        en_name=fill.of(f"{name}.latin"),
        email=fill.of(f"{name}.email"),
    )


# The columns of a base: number of the type, user interface type and property of the field.
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

ROWS = {
    "app": Rows(
        made_from="bot",
        columns={
            "tenant_key": _TENANT,
            "bot_enabled": fill.always(True),
        },
    ),
    "authorization": Rows(
        made_from="self",
        columns={
            "identity": fill.always("user"),
            "open_id": fill.key("person"),
        },
    ),
    "user": Rows(
        made_from="person",
        columns={
            "en_name": fill.of("latin"),
            "mobile": fill.of("phone"),
            "tenant_key": _TENANT,
            "job_title": fill.of("role"),
            "status": fill.shape(
                is_activated=fill.case("standing", {"coming": False}, True),
                is_exited=False,
                is_frozen=False,
                is_resigned=fill.case("standing", {"left": True}, False),
                is_unjoin=fill.case("standing", {"coming": True}, False),
            ),
        },
    ),
    "chat": Rows(
        made_from="place",
        columns={
            "description": fill.of("text"),
            "avatar": fill.always(_AVATAR),
            "i18n_names": fill.always({}),
            "owner_id": fill.key("owner"),
            "owner_id_type": fill.case("owner", {"present": "open_id"}),
            "chat_mode": fill.case("form", {"group": "group"}, "p2p"),
            "chat_type": fill.always("private"),
            "group_message_type": fill.always("chat"),
            "chat_status": fill.always("normal"),
            "external": fill.always(False),
            "tenant_key": _TENANT,
            "member_ids": fill.case("form", {"group": None}, fill.key("members")),
            "bot_ids": fill.key("bots"),
            "create_time": fill.moment("at"),
        },
    ),
    "chat_member": Rows(
        made_from="member",
        columns={
            "chat_id": fill.key("place"),
            "member_id": fill.key("person"),
            "member_id_type": fill.always("open_id"),
            "name": fill.of("person.name"),
            "tenant_key": _TENANT,
        },
    ),
    "message": Rows(
        columns={
            "root_id": fill.key("root"),
            "parent_id": fill.key("answers"),
            "thread_id": fill.case("threaded", {True: fill.random("omt_{hex:16}", per="root")}),
            "msg_type": fill.of("form"),
            "create_time": fill.moment("at"),
            "update_time": fill.moment("edited"),
            "deleted": fill.of("recalled"),
            "updated": fill.of("changed"),
            "chat_id": fill.key("place"),
            "sender": _SENDER,
            "body": _BODY,
            "mentions": fill.case("mentions", {"present": fill.items("mentions", _MENTION)}),
        },
    ),
    "calendar": Rows(
        columns={
            "user_id": fill.key("owner"),
            "summary": fill.of("title"),
            "description": fill.of("text"),
            "permissions": fill.case("open", {True: "public"}, "show_only_free_busy"),
            "color": fill.case("form", {"shared": -14841601}, -1),
            "type": fill.of("form"),
            "summary_alias": fill.always(""),
            "is_deleted": fill.always(False),
            "is_third_party": fill.always(False),
            "role": fill.case("form", {"shared": "writer"}),
        },
    ),
    "calendar_event": Rows(
        made_from="event",
        columns={
            "event_id": _EVENT_ID,
            "organizer_calendar_id": fill.key("calendar"),
            "summary": fill.of("title"),
            "description": fill.text(),
            "start_time": _event_time("start"),
            "end_time": _event_time("end"),
            "vchat": fill.case(
                "online", {True: fill.shape(vc_type="vc", meeting_url=fill.random("https://vc.feishu.cn/j/{digits:9}"))}
            ),
            "visibility": fill.case("closed", {True: "private"}, "default"),
            "attendee_ability": fill.case("guests", {"present": "can_see_others"}, "none"),
            "free_busy_status": fill.case("free", {True: "free"}, "busy"),
            "location": fill.case(
                "location", {"present": fill.shape(name=fill.of("location"), address=fill.of("address"))}
            ),
            "color": fill.always(-1),
            "reminders": fill.case(
                "remind", {"present": fill.several(fill.shape(minutes=fill.of("remind")))}, fill.always([])
            ),
            "recurrence": fill.of("repeat"),
            "status": fill.case("cancelled", {True: "cancelled"}, "confirmed"),
            "is_exception": fill.case("instance_of", {"present": True}, False),
            "recurring_event_id": fill.key("instance_of"),
            "create_time": fill.moment("at", "s"),
            "event_organizer": fill.shape(user_id=fill.key("by"), display_name=fill.of("by.name")),
            "app_link": fill.form(
                "https://applink.feishu.cn/client/calendar/event/detail?calendarId={calendar}&key={event_id}&originalTime=0&startTime={start}",
                calendar=fill.random("{digits:19}", per="calendar"),
                start=fill.moment("start", "s"),
            ),
            "attendees": fill.items("guests", _ATTENDEE),
        },
    ),
    "task": Rows(
        columns={
            "summary": fill.of("title"),
            "description": fill.text(),
            "due": fill.case(
                "due", {"present": fill.shape(timestamp=fill.moment("due"), is_all_day=fill.of("whole_day"))}
            ),
            "reminders": fill.case("remind", {"present": fill.several(_TASK_REMINDER)}, fill.always([])),
            "creator": fill.shape(id=fill.key("by"), type=fill.case("by.kind", {"bot": "app"}, "user"), role="creator"),
            "members": fill.several(
                fill.items("to", _task_member("assignee")), fill.items("followers", _task_member("follower"))
            ),
            "completed_at": fill.moment("done", otherwise="0"),
            "attachments": fill.always([]),
            "tasklists": fill.always([]),
            "repeat_rule": fill.of("repeat"),
            "parent_task_guid": fill.case("parent", {"present": fill.key("parent")}, ""),
            "mode": fill.of("mode"),
            "source": fill.case("by.kind", {"bot": 6}, 1),
            "created_at": fill.moment("at"),
            "updated_at": fill.moment("edited"),
            "status": fill.of("state"),
            "url": fill.form("https://applink.feishu.cn/client/todo/detail?guid={guid}&suite_entity_num={task_id}"),
            "subtask_count": fill.count("task", "parent"),
            "is_milestone": fill.of("milestone"),
        },
    ),
    "bitable_app": Rows(
        made_from="base",
        link="https://example.feishu.cn/base/{app_token}",
        columns={
            "name": fill.of("title"),
            "folder_token": fill.random("fldcn{alnum:22}"),
            "url": fill.form("https://example.feishu.cn/base/{app_token}"),
            "time_zone": fill.of("world.zone"),
            "default_table_id": fill.key("first_table"),
            "owner_id": fill.key("owner"),
        },
    ),
    "table": Rows(
        link="https://example.feishu.cn/base/{app_token}?table={table_id}&view={default_view_id}",
        columns={
            "app_token": fill.key("base"),
            "name": fill.of("title"),
            "revision": fill.random(low=40, high=900),
            "default_view_name": fill.of("view"),
        },
    ),
    "field": Rows(
        made_from="column",
        columns={
            "table_id": fill.key("table"),
            "app_token": fill.key("table.base"),
            "field_name": fill.of("name"),
            "type": fill.case("type", {name: kind for name, (kind, _, _) in _COLUMNS.items()}),
            "ui_type": fill.case("type", {name: shown for name, (_, shown, _) in _COLUMNS.items()}),
            "is_primary": fill.of("first"),
            "property": fill.case("type", {name: detail for name, (_, _, detail) in _COLUMNS.items()}),
        },
    ),
    "record": Rows(
        columns={
            "table_id": fill.key("table"),
            "app_token": fill.key("table.base"),
            "fields": fill.entries("cells", over="table.columns", value=_CELL),
            "created_by": _editor("by"),
            "created_time": fill.moment("at", as_text=False),
            "last_modified_by": _editor("edited_by"),
            "last_modified_time": fill.moment("edited", as_text=False),
        },
    ),
    "document": Rows(
        link="https://example.feishu.cn/docx/{document_id}",
        columns={
            "content": fill.form("{title}\n{body}", body=fill.text()),
            "owner_id": fill.key("owner"),
            "docs_type": fill.always("doc"),
            "chat_ids": fill.key("chats"),
            "create_time": fill.moment("at", "s"),
            "update_time": fill.moment("edited", "s"),
        },
    ),
    "permission_member": Rows(
        made_from="share",
        columns={
            "token": fill.key("of"),
            "member_type": fill.case("with.kind", {"person": "openid", "place": "openchat"}),
            "member_id": fill.key("with"),
            "token_type": fill.case("of.kind", {"document": "docx", "base": "bitable"}),
            "perm": fill.of("right"),
            "perm_type": fill.always("container"),
            "type": fill.case("with.kind", {"person": "user", "place": "chat"}),
        },
    ),
    "wiki_space": Rows(
        made_from="space",
        columns={
            "name": fill.of("title"),
            "description": fill.of("text"),
            "space_type": fill.always("team"),
            "visibility": fill.always("private"),
        },
    ),
    "wiki_node": Rows(
        made_from="page",
        link="https://example.feishu.cn/wiki/{node_token}",
        columns={
            "space_id": fill.key("space"),
            "obj_token": fill.key("of"),
            "obj_type": fill.case("of.kind", {"document": "docx", "base": "bitable"}),
            "parent_node_token": fill.case("parent", {"present": fill.key("parent")}, ""),
            "node_type": fill.always("origin"),
            "origin_node_token": fill.key("self"),
            "origin_space_id": fill.key("space"),
            "has_child": fill.count("page", "parent", as_flag=True),
            "obj_create_time": fill.moment("of.at", "s"),
            "obj_edit_time": fill.moment("of.edited", "s", otherwise=fill.moment("of.at", "s")),
            "node_create_time": fill.moment("at", "s"),
            "creator": fill.key("creator"),
            "owner": fill.key("owner"),
            "node_creator": fill.key("creator"),
        },
    ),
    "idempotency": Rows(),
}
