"""Conditions on a session's objects: the number of an entity's objects that match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from soundstage.contexts.apps import UnknownTables, tables_of
from soundstage.contexts.engine.store import Context


class StateCondition(BaseModel):
    """True while the number of an app's objects that match `where` (field → value) is within the bounds.

    An app that the session does not have has no objects.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    app: str
    entity: str
    where: dict[str, Any] = {}
    at_least: int = Field(1, ge=0, le=2**31)
    at_most: int | None = Field(default=None, ge=0, le=2**31)

    def holds(self, context: Context) -> bool:
        """Whether the condition is true in this context."""
        count = context.app(self.app).count(self.entity, self.where) if self.app in context.tables else 0
        return self.at_least <= count and (self.at_most is None or count <= self.at_most)

    def mistakes(self) -> Iterator[tuple[str, str]]:
        """Yield the members that can never be satisfied, with a message."""
        try:
            tables = tables_of(self.app)
        except UnknownTables as error:
            yield "app", str(error)
            return
        entity = tables.entities.get(self.entity)
        if entity is None:
            yield "entity", f"{self.app} has no {self.entity!r}; it has: {', '.join(tables.entities)}"
            return
        for name in self.where:
            try:
                entity.column(name.partition(" ")[0])
            except KeyError as error:
                yield f"where.{name}", str(error.args[0])
        if self.at_most is not None and self.at_most < self.at_least:
            yield "at_most", f"is below at_least ({self.at_least}), so this is never true"


def all_hold(conditions: list[StateCondition], context: Context) -> bool:
    """Whether all conditions are true in this context."""
    return all(condition.holds(context) for condition in conditions)
