"""Tasks: which one a guid means, who may edit it, and how it is shown.

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
    """The type of user ids in a call and its reply; unlike elsewhere the schema takes any text.

    Raises:
        LarkError: 99992402.
    """
    chosen: str = arguments.get("params", {}).get("user_id_type") or "open_id"
    known = get_args(people.UserIdType)
    if chosen not in known:
        raise field_violation("user_id_type", f"user_id_type must be one of {', '.join(known)}")
    return chosen


def editable(context: AppContext, caller: Caller, guid: str) -> Object:
    """The task of this guid, if the caller may edit it.

    Raises:
        LarkError: 1470400 for what is no guid, 1470404, 1470403.
    """
    task = context.get("task", guid)
    if task is None:
        raise refusals.not_found() if _is_guid(guid) else refusals.invalid_param("task_guid", "must be a valid guid.")
    if not _may_edit(context, caller, task):
        raise refusals.no_permission()
    return task


def is_creator(caller: Caller, task: Object) -> bool:
    """Whether the caller made the task, as far as the state tells."""
    creator = task.get("creator")
    return _is_caller(caller, creator) if creator else caller.is_own


def changed(context: AppContext, task: Object, changes: Object) -> Object:
    """The task after the changes."""
    now = str(to_ms(context.now()))
    return context.update("task", task["guid"], {**changes, "updated_at": now})


def shown(context: AppContext, task: Object, id_type: str) -> Object:
    """A task as replies show it: its people by the id type asked for."""
    reply = dict(task)
    if reply.get("creator"):
        reply["creator"] = _shown_member(context, reply["creator"], id_type)
    if reply.get("members"):
        reply["members"] = [_shown_member(context, member, id_type) for member in reply["members"]]
    return reply


def _may_edit(context: AppContext, caller: Caller, task: Object) -> bool:
    """Creator and assignees may, also those of a task above; followers only read."""
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
    """Whether a member is the caller; one whom the state does not name may be anybody of his kind."""
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
