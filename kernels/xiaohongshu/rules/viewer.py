"""What an account has liked and favourited.

Of the account which the state itself gives, a note and a comment tell it themselves (`liked`, `collected`); of another person who
acts, a `mark` does.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

_NOTHING: Object = {"liked": False, "collected": False}


def seen(context: AppContext, notes: list[Object]) -> list[Object]:
    """Notes with the marks of whoever acts in their `interactInfo`."""
    if context.account is None:
        return notes
    marks = {mark["target"]: mark for mark in context.list("mark", {"userId": context.account})}
    return [_with(note, marks.get(note["noteId"], _NOTHING)) for note in notes]


def seen_note(context: AppContext, note: Object) -> Object:
    """One note with the marks of whoever acts."""
    return note if context.account is None else _with(note, _mark(context, context.account, note["noteId"]))


def likes_comment(context: AppContext, comment: Object) -> bool:
    """Whether whoever acts likes a comment."""
    if context.account is None:
        return bool(comment.get("liked", False))
    return bool(_mark(context, context.account, comment.get("id", "")).get("liked"))


def mark_note(context: AppContext, note_id: str, field: str, wanted: bool, count: Object) -> None:
    """Set a mark (`liked` or `collected`) of whoever acts on a note, and the note's count for everybody."""
    info = (context.get("note", note_id) or {}).get("interactInfo") or {}
    if context.account is None:
        info = {**info, field: wanted}
    else:
        _put(context, context.account, note_id, {field: wanted})
    context.update("note", note_id, {"interactInfo": {**info, **count}})


def mark_comment(context: AppContext, comment_id: str, wanted: bool, count: Object) -> None:
    """Set the like of whoever acts on a comment, and the comment's count for everybody."""
    if context.account is None:
        context.update("comment", comment_id, {"liked": wanted, **count})
    else:
        _put(context, context.account, comment_id, {"liked": wanted})
        context.update("comment", comment_id, count)


def _mark(context: AppContext, account: str, target: str) -> Object:
    return context.get("mark", (account, target)) or _NOTHING


def _put(context: AppContext, account: str, target: str, changes: Object) -> None:
    if context.get("mark", (account, target)) is None:
        context.create("mark", {"userId": account, "target": target, **_NOTHING})
    context.update("mark", (account, target), changes)


def _with(note: Object, mark: Object) -> Object:
    marks = {field: bool(mark.get(field)) for field in _NOTHING}
    return {**note, "interactInfo": {**(note.get("interactInfo") or {}), **marks}}
