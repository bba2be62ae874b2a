"""The `task_v2_task_addReminders` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.lark.rules.task import fields, refusals, tasks
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Add the only reminder of a task that has a due time.

    Source: https://open.feishu.cn/document/task-v2/task/add_reminders
    """
    who = caller(context, arguments, "task:task:write")
    sent, guid, id_type = arguments["data"]["reminders"], arguments["path"]["task_guid"], tasks.user_id_type(arguments)
    fields.check_sizes({"task_guid": guid})
    if not sent:
        raise refusals.invalid_param("reminders", "must not be empty.")
    task = tasks.editable(context, who, guid)
    reminders = [fields.reminder(context, reminder, task.get("due")) for reminder in sent]
    if len(reminders) > 1 or task.get("reminders"):
        raise refusals.reminder_exists()
    task = tasks.update(context, task, {"reminders": reminders})
    return {"task": tasks.to_reply(context, task, id_type)}
