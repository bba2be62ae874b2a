"""Drafts: the parts of a world before it becomes rows. They refer to people, places and each other instead of ids.

A draft has a kind (`person`, `place`, `message`, `event`, `document` …), attributes, and the app that contains it; people and
bots exist in every app in which they have an account. Each app declares which entity it makes from a kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from soundstage.source import Mistake

EVERYWHERE = None
"""The app of drafts that live in all apps in which they have an account."""


@dataclass(slots=True, eq=False)
class Draft:
    """One thing of the world.

    `at` is its creation time (ms since 1970), `where` its place in the source. `named` is the name in the source if `key` is
    only a number: the `id` of a turn.
    """

    kind: str
    key: str
    app: str | None
    at: int
    values: dict[str, Any]
    where: str = ""
    named: str = ""

    def get(self, path: str) -> Any:
        """Return an attribute, or an attribute of the draft it refers to (`place.owner.name`); None if there is none."""
        value: Any = self
        for name in path.split("."):
            if isinstance(value, Draft):
                value = (
                    {"at": value.at, "kind": value.kind, "key": value.key}.get(name)
                    if name in _OWN
                    else value.values.get(name)
                )
            elif isinstance(value, dict):
                value = value.get(name)
            else:
                return None
        return value

    def in_app(self, app: str) -> bool:
        """Whether this draft becomes rows of the app."""
        if self.app is not EVERYWHERE:
            return self.app == app
        return app in self.values["accounts"]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.key}>"


_OWN = ("at", "kind", "key")


@dataclass(slots=True)
class Plan:
    """All drafts of a world, by kind in the order in which they were added, and the mistakes found on the way."""

    drafts: dict[str, dict[str, Draft]] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def add(self, draft: Draft) -> Draft:
        """Add a draft and return it. A second draft of the same kind and key is a mistake."""
        of_kind = self.drafts.setdefault(draft.kind, {})
        if draft.key in of_kind:
            self.mistakes.append(Mistake(draft.where, f"there are two of kind {draft.kind} with the key {draft.key!r}"))
        else:
            of_kind[draft.key] = draft
        return draft

    def of_kind(self, kind: str, app: str | None = None) -> Iterator[Draft]:
        """Yield the drafts of a kind, all of them or those in one app."""
        for draft in self.drafts.get(kind, {}).values():
            if app is None or draft.in_app(app):
                yield draft

    def find(self, key: str, *kinds: str) -> Draft | None:
        """The draft with this key among these kinds (all kinds where none are named)."""
        for kind in kinds or tuple(self.drafts):
            draft = self.drafts.get(kind, {}).get(key)
            if draft is not None:
                return draft
        return None

    def refuse(self, where: str, problem: str) -> None:
        """Record a mistake in the sources."""
        self.mistakes.append(Mistake(where, problem))
