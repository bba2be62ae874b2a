"""Tasks: lookup, edit access, and representation.

Source: https://open.feishu.cn/document/task-v2/task/overview
"""

from __future__ import annotations

from typing import get_args
from uuid import UUID

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.task import refusals
from soundstage.kernels.types import Arguments

ANCESTORS_LIMIT = 100


def user_id_type(arguments: Arguments) -> str:
    """Return the type of user ids in a call and its reply; this schema accepts any text.

    Raises:
        LarkError: 99992402.
    """
    chosen: str = arguments.get("params", {}).get("user_id_type") or "open_id"
    known = get_args(people.UserIdType)
    if chosen not in known:
        raise field_violation("user_id_type", f"user_id_type must be one of {', '.join(known)}")
    return chosen


def editable(context: AppContext, caller: Caller, guid: str) -> Object:
    """Return the task with a guid, if the caller may edit it.

    Raises:
        LarkError: 1470400 for an invalid guid, 1470404, 1470403.
    """
    task = context.get("task", guid)
    if task is None:
        raise refusals.not_found() if _is_guid(guid) else refusals.invalid_param("task_guid", "must be a valid guid.")
    if not _may_edit(context, caller, task):
        raise refusals.no_permission()
    return task


def is_creator(caller: Caller, task: Object) -> bool:
    """Return whether the caller created the task, if the state has its creator."""
    creator = task.get("creator")
    return _is_caller(caller, creator) if creator else caller.is_own


def update(context: AppContext, task: Object, changes: Object) -> Object:
    """Apply changes to a task and return it."""
    now = str(to_ms(context.now()))
    return context.update("task", task["guid"], {**changes, "updated_at": now})


def to_reply(context: AppContext, task: Object, id_type: str) -> Object:
    """Return a task as replies show it, with people by the requested id type."""
    reply = dict(task)
    if reply.get("creator"):
        reply["creator"] = _shown_member(context, reply["creator"], id_type)
    if reply.get("members"):
        reply["members"] = [_shown_member(context, member, id_type) for member in reply["members"]]
    return reply


def _may_edit(context: AppContext, caller: Caller, task: Object) -> bool:
    """Return whether the caller is creator or assignee of a task or of its ancestors; followers only read."""
    for _ in range(ANCESTORS_LIMIT):
        if is_creator(caller, task) or any(
            member.get("role") == "assignee" and _is_caller(caller, member) for member in task.get("members") or []
        ):
            return True
        above = context.get("task", task["parent_task_guid"]) if task.get("parent_task_guid") else None
        if above is None:
            return False
        task = above
    return False


def _is_caller(caller: Caller, member: Object) -> bool:
    """Return whether a member is the caller; a caller without an id may be any member of that kind."""
    return member.get("type", "user") == caller.kind and caller.id in ("", member.get("id"))


def _shown_member(context: AppContext, member: Object, id_type: str) -> Object:
    if member.get("type", "user") != "user" or not member.get("id"):
        return member
    return {**member, "id": people.id_as(context, member["id"], id_type)[0]}


def _is_guid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
