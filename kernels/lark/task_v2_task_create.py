"""The `task_v2_task_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.idempotency import already_made, remember
from soundstage.kernels.lark.rules.identity import Caller, caller
from soundstage.kernels.lark.rules.task import docx_source, fields, refusals, tasklists, tasks
from soundstage.kernels.lark.rules.task.ids import new_identity
from soundstage.kernels.types import Arguments

TOKEN_HOLDS_S = 300
_BY_APP, _BY_USER, _IN_DOCUMENT = 6, 7, 8


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a task with its members, times and reminder.

    Source: https://open.feishu.cn/document/task-v2/task/create
    """
    who = caller(context, arguments, "task:task:write", "task:task:writeonly")
    data, id_type = arguments["data"], tasks.user_id_type(arguments)
    fields.check_sizes(data)
    scope, token = f"task_create:{who.kind}:{who.id}", data.get("client_token")
    made = already_made(context, scope, token, str, within_s=TOKEN_HOLDS_S)
    task = context.get("task", made) if made else None
    if task is None:
        task = context.create("task", _new_task(context, who, data, id_type))
        remember(context, scope, token, task["guid"])
    return {"task": tasks.to_reply(context, task, id_type)}


def _new_task(context: AppContext, who: Caller, data: Arguments, id_type: str) -> Object:
    now = str(to_ms(context.now()))
    due, start = (fields.parse_time(name, data[name]) if name in data else None for name in ("due", "start"))
    fields.check_plan(start, due)
    fields.check_origin(data.get("origin", {}))
    completed_at = fields.timestamp("completed_at", data.get("completed_at") or "0")
    if len(data.get("reminders", [])) > 1:
        raise refusals.invalid_param("reminders", "only one reminder is supported.")
    task: Object = {
        "summary": fields.summary(data["summary"]),
        "description": fields.description(data.get("description", "")),
        "reminders": [fields.reminder(context, reminder, due) for reminder in data.get("reminders", [])],
        "creator": _creator(who),
        "members": fields.with_members([], fields.members(context, data.get("members", []), id_type)),
        "completed_at": str(completed_at),
        "attachments": [],
        "tasklists": tasklists.placements(context, data.get("tasklists", [])),
        "parent_task_guid": "",
        "mode": int(data.get("mode", 2)),
        "source": _BY_APP if who.kind == "app" else _BY_USER,
        "created_at": now,
        "updated_at": now,
        "status": "done" if completed_at else "todo",
        "subtask_count": 0,
        "is_milestone": data.get("is_milestone", False),
    }
    task |= {name: at for name, at in (("due", due), ("start", start)) if at is not None}
    task |= {name: data[name] for name in docx_source.EXCLUDED if data.get(name)}
    if data.get("repeat_rule"):
        task["repeat_rule"] = fields.repeat_rule(data["repeat_rule"], due)
    if data.get("custom_fields"):
        task["custom_fields"] = tasklists.custom_fields(context, [], data["custom_fields"], id_type)
    if "docx_source" in data:
        docx_source.check(context, who, data)
        task["source"] = _IN_DOCUMENT
    identity = new_identity(context)
    return {"guid": identity["guid"], **task, **identity}


def _creator(who: Caller) -> Object:
    creator = {"id": who.id, "type": who.kind, "role": "creator"}
    return {**creator, "name": who.name} if who.name else creator
