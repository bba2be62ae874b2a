"""Records as the API shows them: states may leave out what every object of the API has."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object


def complete(kind: str, record: Object, defaults: Object) -> Object:
    """A record with its `object` and, at the end, the fields that the state leaves out."""
    missing = {name: value for name, value in defaults.items() if name not in record}
    return {"object": kind, **record, **missing}


def user(record: Object) -> Object:
    """A person or bot."""
    return complete("user", record, {"avatar_url": None})


def comment(record: Object) -> Object:
    """A comment."""
    return complete("comment", record, {"rich_text": []})
