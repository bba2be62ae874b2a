"""Repetition of a finished task: a copy with the next due time inherits its rule.

Source: https://open.feishu.cn/document/task-v2/task/overview
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms, to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.recurrence import occurrences
from soundstage.kernels.lark.rules.recurrence_text import parse
from soundstage.kernels.lark.rules.task.ids import new_identity
from soundstage.kernels.lark.rules.zones import DEFAULT_ZONE

SEARCHED = timedelta(days=366 * 10)
_CARRIED = (
    "summary",
    "description",
    "creator",
    "members",
    "attachments",
    "origin",
    "extra",
    "tasklists",
    "parent_task_guid",
    "mode",
    "source",
    "custom_complete",
    "custom_fields",
    "subtask_count",
    "is_milestone",
)
_COUNT = re.compile(r"(?<=COUNT=)\d+", re.IGNORECASE)


def follow(context: AppContext, task: Object) -> Object | None:
    """Create the next task of a repeating one that was just finished; return None if it was the last."""
    due = task.get("due")
    if not task.get("repeat_rule") or not due:
        return None
    # A task has no time zone; a date is midnight in UTC, a time uses the default zone of Lark's other times.
    at = from_ms(int(due["timestamp"])).astimezone(UTC if due.get("is_all_day") else ZoneInfo(DEFAULT_ZONE))
    following = _next(task["repeat_rule"], at)
    if following is None:
        return None
    later = to_ms(following) - to_ms(at)
    now = str(to_ms(context.now()))
    copy = {
        **{name: task[name] for name in _CARRIED if name in task},
        **new_identity(context),
        "due": _moved(due, later),
        "repeat_rule": _COUNT.sub(lambda count: str(int(count[0]) - 1), task["repeat_rule"]),
        "reminders": [
            {**reminder, "id": context.new_id("task_reminder", "{digits:19}")}
            for reminder in task.get("reminders") or []
        ],
        "completed_at": "0",
        "status": "todo",
        "created_at": now,
        "updated_at": now,
    }
    if task.get("start"):
        copy["start"] = _moved(task["start"], later)
    return context.create("task", copy)


def _next(rule: str, at: datetime) -> datetime | None:
    try:
        upcoming = occurrences(parse(rule), at, at, at + SEARCHED)
        return next((moment for moment in upcoming if moment > at), None)
    except ValueError:
        return None


def _moved(at: Object, milliseconds: int) -> Object:
    return {**at, "timestamp": str(int(at["timestamp"]) + milliseconds)}
