"""The trash: objects in it still exist, but they and their descendants cannot be edited."""

from __future__ import annotations

from typing import Final

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.errors import invalid

_DEEPEST = 100
_HOLDERS: Final = {"page_id": "page", "block_id": "block", "data_source_id": "data_source", "database_id": "database"}


def need_editable(context: AppContext, target: Object) -> None:
    """Reject an edit of an object in the trash.

    Raises:
        NotionError: The object or one of its ancestors is in the trash
            (https://github.com/dvanoni/notero/issues/704 and many reports of the second wording).
    """
    if target.get("in_trash"):
        raise invalid("Can't edit block that is archived. You must unarchive the block before editing.")
    if below_trash(context, target):
        raise invalid(
            "Can't edit page on block with an archived ancestor. You must unarchive the ancestor before editing page."
        )


def below_trash(context: AppContext, target: Object) -> bool:
    """Return whether an ancestor is in the trash."""
    above = holder(context, target)
    for _ in range(_DEEPEST):
        if above is None:
            return False
        if above.get("in_trash"):
            return True
        above = holder(context, above)
    return False


def holder(context: AppContext, target: Object) -> Object | None:
    """Return the parent of an object, or None at the workspace or if the state lacks it."""
    parent = target.get("parent")
    if not isinstance(parent, dict):
        return None
    for link, entity in _HOLDERS.items():
        if isinstance(parent.get(link), str):
            return context.get(entity, parent[link])
    return None
