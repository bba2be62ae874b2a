"""The `task_v2_task_addMembers` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.idempotency import already_made, remember
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.lark.rules.task import fields, refusals, tasks
from soundstage.kernels.types import Arguments

TOKEN_HOLDS_S = 300


def run(context: AppContext, arguments: Arguments) -> Object:
    """Add assignees and followers to a task; existing members are skipped.

    Source: https://open.feishu.cn/document/task-v2/task/add_members
    """
    who = caller(context, arguments, "task:task:write", "task:personnel:writeonly")
    data, guid, id_type = arguments["data"], arguments["path"]["task_guid"], tasks.user_id_type(arguments)
    fields.check_sizes({**data, "task_guid": guid})
    scope, token = f"task_add_members:{who.kind}:{who.id}", data.get("client_token")
    made = already_made(context, scope, token, str, within_s=TOKEN_HOLDS_S)
    task = context.get("task", made) if made else None
    if task is None:
        if not data["members"]:
            raise refusals.invalid_param("members", "must not be empty.")
        new = fields.members(context, data["members"], id_type)
        task = tasks.editable(context, who, guid)
        members = fields.with_members(task.get("members") or [], new)
        task = tasks.update(context, task, {"members": members})
        remember(context, scope, token, guid)
    return {"task": tasks.to_reply(context, task, id_type)}
