"""Records as the API shows them, completed with fields that states may omit."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object


def complete(kind: str, record: Object, defaults: Object) -> Object:
    """Return a record with its `object` and, at the end, the fields that the state omits."""
    missing = {name: value for name, value in defaults.items() if name not in record}
    return {"object": kind, **record, **missing}


def user(record: Object) -> Object:
    """Return a person or bot."""
    return complete("user", record, {"avatar_url": None})


def comment(record: Object) -> Object:
    """Return a comment."""
    return complete("comment", record, {"rich_text": []})
