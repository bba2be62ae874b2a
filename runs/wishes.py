"""A task's wishes as faults of a trial: they come up where its schedule has any faults at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soundstage.gateway.faults.schedule import parse
from soundstage.grading.task import Task


def with_wishes(document: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """A fault schedule in which the task's own wishes come up, and no others: an agent that obeyed one that the task knows
    nothing of would be held to have changed what nobody asked for.

    Raises:
        ScheduleMistakes: what is given is no schedule.
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
    kept = {name: n for name, n in document.get("budget", {}).items() if name != "new_constraint"}
    changed = {**document, "rules": [*wishes, *rules]} | ({"budget": kept} if "budget" in document else {})
    parse(changed)
    return changed
