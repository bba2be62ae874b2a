"""Results of calls with a caller's idempotency token (uuid, idempotency_key, client_token).

A repeated call creates nothing.
"""

from __future__ import annotations

from typing import Any, TypeVar

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s

HOUR_S = 3600
Made = TypeVar("Made")


def already_made(
    context: AppContext, scope: str, token: str | None, kind: type[Made], *, within_s: int | None = None
) -> Made | None:
    """Return the stored result of a token, or None if there is none of this `kind`.

    Args:
        context: The app's context.
        scope: The scope in which the token is unique, such as a tool's name or `calendar:<app_id>:<calendar_id>`.
        token: The caller's token; None or "" means that none was sent.
        kind: The type of the result; a result of another type is ignored.
        within_s: How long a token is valid; without it, forever.
    """
    row = context.get("idempotency", (scope, token)) if token else None
    if row is None or (within_s is not None and to_s(context.now()) - row.get("made_at", 0) >= within_s):
        return None
    made = row.get("made")
    return made if isinstance(made, kind) else None


def remember(context: AppContext, scope: str, token: str | None, made: Any) -> None:
    """Store the result of a token, such as the id of the new object; do nothing without a token."""
    if not token:
        return
    context.delete("idempotency", (scope, token))
    context.create("idempotency", {"scope": scope, "token": token, "made": made, "made_at": to_s(context.now())})
