"""The `task_v2_task_patch` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.lark.rules.identity import Caller, caller
from soundstage.kernels.lark.rules.task import fields, refusals, repeats, tasklists, tasks
from soundstage.kernels.types import Arguments

PATCHABLE = (
    "summary",
    "description",
    "start",
    "due",
    "completed_at",
    "extra",
    "custom_complete",
    "repeat_rule",
    "mode",
    "is_milestone",
    "custom_fields",
)


def run(context: AppContext, arguments: Arguments) -> Object:
    """Change the fields of a task that `update_fields` names; a named field without a value is cleared.

    Members, reminders and tasklists have separate tools. Source: https://open.feishu.cn/document/task-v2/task/patch
    """
    who = caller(context, arguments, "task:task:write", "task:task:writeonly")
    data, guid, id_type = arguments["data"], arguments["path"]["task_guid"], tasks.user_id_type(arguments)
    sent, names = data.get("task", {}), data["update_fields"]
    fields.check_sizes({**sent, "task_guid": guid})
    if not names:
        raise refusals.invalid_param("update_fields", "must not be empty.")
    for name in names:
        if name not in PATCHABLE:
            raise refusals.invalid_param("update_fields", f"'{name}' is not supported.")
    if "repeat_rule" in names and "completed_at" in names:
        raise refusals.invalid_param("update_fields", "cannot update repeat_rule and completed_at at the same time.")
    task = tasks.editable(context, who, guid)

    changes = _texts_and_flags(sent, names) | _plan(task, sent, names)
    if "custom_fields" in names:
        present = task.get("custom_fields") or []
        changes["custom_fields"] = tasklists.custom_fields(context, present, sent.get("custom_fields", []), id_type)
    if "completed_at" in names:
        changes |= _completion(who, task, sent)
    task = tasks.update(context, task, changes)
    if changes.get("status") == "done" and task.get("repeat_rule"):
        repeats.follow(context, task)
        task = tasks.update(context, task, {"repeat_rule": ABSENT})
    return {"task": tasks.to_reply(context, task, id_type)}


def _texts_and_flags(sent: Arguments, names: list[str]) -> Object:
    changes: Object = {name: sent.get(name) or ABSENT for name in ("extra", "custom_complete") if name in names}
    if "summary" in names:
        changes["summary"] = fields.summary(sent.get("summary", ""))
    if "description" in names:
        changes["description"] = fields.description(sent.get("description", ""))
    if "mode" in names:
        changes["mode"] = int(sent.get("mode", 2))
    if "is_milestone" in names:
        changes["is_milestone"] = sent.get("is_milestone", False)
    return changes


def _plan(task: Object, sent: Arguments, names: list[str]) -> Object:
    """Return the changes of start, due and repeat rule; without a due time, reminders and rule are removed."""
    named = [name for name in ("start", "due") if name in names]
    times = {name: fields.parse_time(name, sent[name]) if name in sent else None for name in named}
    start, due = (times[name] if name in times else task.get(name) for name in ("start", "due"))
    if named:
        fields.check_plan(start, due)
    changes: Object = {name: ABSENT if at is None else at for name, at in times.items()}
    if "due" in named and due is None:
        changes |= {"reminders": [], "repeat_rule": ABSENT}
    if "repeat_rule" in names:
        rule = sent.get("repeat_rule")
        changes["repeat_rule"] = fields.repeat_rule(rule, due) if rule else ABSENT
    return changes


def _completion(who: Caller, task: Object, sent: Arguments) -> Object:
    at = fields.timestamp("completed_at", sent.get("completed_at") or "0")
    if at and (task.get("status") == "done" or task.get("completed_at", "0") != "0"):
        raise refusals.invalid("cannot set non-zero completed_at for a completed task", kind="conflict")
    if task.get("mode") == 1 and not tasks.is_creator(who, task):
        message = "only the creator can update completed_at of a task that all assignees must finish."
        raise refusals.server_failure(message, kind="permission")
    return {"completed_at": str(at), "status": "done" if at else "todo"}
