"""One person's own data: dialogs, drafts, folders, aliases and so on.

The default account's data is in separate entities. The data of other acting people has the same form in rows of
`personal`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext, Key
from soundstage.contexts.engine.schema import ABSENT, Object


@dataclass(frozen=True, slots=True)
class OwnRows:
    """The rows of one person: the default account, or the `person` with this id."""

    context: AppContext
    person: int | None

    def list(self, kind: str, where: Mapping[str, Any] | None = None) -> list[Object]:
        """Return the rows with these values, in order of creation."""
        if self.person is None:
            return self.context.list(kind, where)
        rows = self.context.list("personal", {"user_id": self.person, "kind": kind})
        wanted = (where or {}).items()
        return [row["value"] for row in rows if all(row["value"].get(name) == value for name, value in wanted)]

    def get(self, kind: str, key: Key) -> Object | None:
        """Return the row with a key."""
        if self.person is None:
            return self.context.get(kind, key)
        row = self.context.get("personal", (self.person, kind, _text(key)))
        return None if row is None else row["value"]

    def create(self, kind: str, keyed: Object, rest: Object) -> None:
        """Add a row: the fields of its key in their order, then the others."""
        row = {**keyed, **{name: item for name, item in rest.items() if item is not ABSENT}}
        if self.person is None:
            self.context.create(kind, row)
        else:
            key = _text(_key(keyed))
            self.context.create("personal", {"user_id": self.person, "kind": kind, "key": key, "value": row})

    def update(self, kind: str, key: Key, changes: Object) -> None:
        """Change an existing row; `ABSENT` removes a field."""
        if self.person is None:
            self.context.update(kind, key, changes)
            return
        merged = {**(self.get(kind, key) or {}), **changes}
        value = {name: item for name, item in merged.items() if item is not ABSENT}
        self.context.update("personal", (self.person, kind, _text(key)), {"value": value})

    def put(self, kind: str, keyed: Object, rest: Object) -> None:
        """Change the row with a key, or add it."""
        if self.get(kind, _key(keyed)) is None:
            self.create(kind, keyed, rest)
        else:
            self.update(kind, _key(keyed), rest)

    def delete(self, kind: str, key: Key) -> bool:
        """Remove a row; return False if there was none."""
        if self.person is None:
            return self.context.delete(kind, key)
        return self.context.delete("personal", (self.person, kind, _text(key)))


def _key(keyed: Object) -> Key:
    values = tuple(keyed.values())
    return values[0] if len(values) == 1 else values


def _text(key: Key) -> str:
    """Return a key as `personal` stores it."""
    return json.dumps(key)
