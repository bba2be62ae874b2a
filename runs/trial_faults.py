"""The faults of a trial: a preset scaled to the task's length, with the task's mid-task requests, sparing its named rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from soundstage.gateway.faults.schedule import parse, preset
from soundstage.grading.evidence import Key
from soundstage.grading.task import Task
from soundstage.runs.budget import in_proportion


def faults_of(task: Task, name: str, names: Iterable[Key], calls: int, seed: int) -> dict[str, Any]:
    """Return a preset's schedule for a task.

    The budget is spread over `calls` calls, and no fault makes a right run wrong. `names` are the rows that the task names.

    Raises:
        ScheduleMistakes: The preset does not exist.
    """
    document = with_requests(preset(name), task)
    spares: dict[str, list[str]] = {}
    for app, entity, key in names:
        spares.setdefault(f"{app}/{entity}", []).append(key)
    if spares:
        rules = [{**rule, "spares": spares} if rule["fault"] == "drift" else rule for rule in document["rules"]]
        document["rules"] = rules
    return in_proportion(document, calls, seed)


def with_requests(document: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Return a fault schedule with the task's own mid-task requests and no others.

    An agent that fulfilled a request unknown to the task would be charged with unwanted changes.

    Raises:
        ScheduleMistakes: The document is not a schedule.
    """
    rules = [rule for rule in document["rules"] if rule["fault"] != "new_constraint"]
    wishes = [
        {
            "name": f"wish {wish.id}",
            "fault": "new_constraint",
            "wish": wish.wish,
            "when": {"after": wish.after_calls - 1},
            "times": 1,
        }
        for wish in task.wishes
    ]
    budget = {name: n for name, n in document.get("budget", {}).items() if name != "new_constraint"}
    changed = {**document, "rules": [*wishes, *rules]} | ({"budget": budget} if "budget" in document else {})
    parse(changed)
    return changed
