"""The likes and favourites of an account.

The default account's are in the notes and comments (`liked`, `collected`); another acting person's are in `mark` rows.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

_NOTHING: Object = {"liked": False, "collected": False}


def with_marks(context: AppContext, notes: list[Object]) -> list[Object]:
    """Return notes with the acting account's marks in their `interactInfo`."""
    if context.account is None:
        return notes
    marks = {mark["target"]: mark for mark in context.list("mark", {"userId": context.account})}
    return [_with(note, marks.get(note["noteId"], _NOTHING)) for note in notes]


def note_with_marks(context: AppContext, note: Object) -> Object:
    """Return a note with the acting account's marks."""
    return note if context.account is None else _with(note, _mark(context, context.account, note["noteId"]))


def likes_comment(context: AppContext, comment: Object) -> bool:
    """Return whether the acting account likes a comment."""
    if context.account is None:
        return bool(comment.get("liked", False))
    return bool(_mark(context, context.account, comment.get("id", "")).get("liked"))


def mark_note(context: AppContext, note_id: str, field: str, wanted: bool, count: Object) -> None:
    """Set the acting account's mark (`liked` or `collected`) on a note, and the note's public count."""
    info = (context.get("note", note_id) or {}).get("interactInfo") or {}
    if context.account is None:
        info = {**info, field: wanted}
    else:
        _put(context, context.account, note_id, {field: wanted})
    context.update("note", note_id, {"interactInfo": {**info, **count}})


def mark_comment(context: AppContext, comment_id: str, wanted: bool, count: Object) -> None:
    """Set the acting account's like of a comment, and the comment's public count."""
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
