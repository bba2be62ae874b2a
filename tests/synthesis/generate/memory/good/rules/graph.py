"""The graph as replies show it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object


def shown(objects: Sequence[Object]) -> list[Object]:
    """Objects without the key that rows have here."""
    return [{name: value for name, value in one.items() if name != "row_id"} for one in objects]


def around(context: AppContext, entities: Sequence[Object]) -> dict[str, list[Object]]:
    """These entities, and the relations that have one of them at either end."""
    names = {entity["name"] for entity in entities}
    relations = [one for one in context.list("relation") if one["from"] in names or one["to"] in names]
    return {"entities": shown(entities), "relations": shown(relations)}


def touching(context: AppContext, names: Collection[str]) -> list[Object]:
    """The relations that have one of these names at either end."""
    return [one for one in context.list("relation") if one["from"] in names or one["to"] in names]
