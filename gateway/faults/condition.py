"""A condition on a session's objects: how many of an entity fit."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from soundstage.contexts.engine.store import Context


class StateCondition(BaseModel):
    """True while the number of an app's objects that fit `where` (field → value) is within the bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    app: str
    entity: str
    where: dict[str, Any] = {}
    at_least: int = Field(1, ge=0)
    at_most: int | None = Field(default=None, ge=0)

    def holds(self, context: Context) -> bool:
        count = context.app(self.app).count(self.entity, self.where)
        return self.at_least <= count and (self.at_most is None or count <= self.at_most)


def all_hold(conditions: list[StateCondition], context: Context) -> bool:
    return all(condition.holds(context) for condition in conditions)
