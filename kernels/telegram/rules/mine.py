"""What is one person's own: dialogs, drafts, folders, aliases and so on.

The state speaks of its own account's; those of other people who act are kept apart, in `personal`, in the same form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext, Key
from soundstage.contexts.engine.schema import ABSENT, Object


@dataclass(frozen=True, slots=True)
class Mine:
    """The rows of one person's own; `person` is None for the account that the state itself gives."""

    context: AppContext
    person: int | None

    def list(self, kind: str, where: Mapping[str, Any] | None = None) -> list[Object]:
        """The rows that have these values, in order of creation."""
        if self.person is None:
            return self.context.list(kind, where)
        rows = self.context.list("personal", {"user_id": self.person, "kind": kind})
        wanted = (where or {}).items()
        return [row["value"] for row in rows if all(row["value"].get(name) == value for name, value in wanted)]

    def get(self, kind: str, key: Key) -> Object | None:
        if self.person is None:
            return self.context.get(kind, key)
        row = self.context.get("personal", (self.person, kind, _text(key)))
        return None if row is None else row["value"]

    def create(self, kind: str, keyed: Object, rest: Object) -> None:
        """Add a row: the fields of its key in their order, and the others."""
        row = {**keyed, **{name: item for name, item in rest.items() if item is not ABSENT}}
        if self.person is None:
            self.context.create(kind, row)
        else:
            key = _text(_key(keyed))
            self.context.create("personal", {"user_id": self.person, "kind": kind, "key": key, "value": row})

    def update(self, kind: str, key: Key, changes: Object) -> None:
        """Change a row that is there; `ABSENT` takes a field away."""
        if self.person is None:
            self.context.update(kind, key, changes)
            return
        merged = {**(self.get(kind, key) or {}), **changes}
        value = {name: item for name, item in merged.items() if item is not ABSENT}
        self.context.update("personal", (self.person, kind, _text(key)), {"value": value})

    def put(self, kind: str, keyed: Object, rest: Object) -> None:
        """Change the row of this key, or add it where there is none."""
        if self.get(kind, _key(keyed)) is None:
            self.create(kind, keyed, rest)
        else:
            self.update(kind, _key(keyed), rest)

    def delete(self, kind: str, key: Key) -> bool:
        """Remove a row; False when there was none."""
        if self.person is None:
            return self.context.delete(kind, key)
        return self.context.delete("personal", (self.person, kind, _text(key)))


def _key(keyed: Object) -> Key:
    values = tuple(keyed.values())
    return values[0] if len(values) == 1 else values


def _text(key: Key) -> str:
    """A key as `personal` keeps it."""
    return json.dumps(key)
