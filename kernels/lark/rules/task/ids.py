"""Ids of a new task, and the link that contains them."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

_URL = "https://applink.feishu.cn/client/todo/detail?guid={guid}&suite_entity_num={task_id}"


def new_identity(context: AppContext) -> Object:
    """Return `guid`, `task_id` and `url` of a new task."""
    guid = context.new_id("task")
    task_id = context.new_id("task_id", "t{digits:7}")
    return {"guid": guid, "task_id": task_id, "url": _URL.format(guid=guid, task_id=task_id)}
