"""The graph as replies show it."""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.contexts.engine.schema import Object


def shown(objects: Sequence[Object]) -> list[Object]:
    """Objects without the key that rows have here."""
    return [{name: value for name, value in one.items() if name != "row_id"} for one in objects]
