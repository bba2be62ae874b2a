"""What a caller's own token (uuid, idempotency_key, client_token) has already made, so that a repeat makes nothing."""

from __future__ import annotations

from typing import Any, TypeVar

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s

HOUR_S = 3600
Made = TypeVar("Made")


def already_made(
    context: AppContext, scope: str, token: str | None, kind: type[Made], *, within_s: int | None = None
) -> Made | None:
    """What the token made before, as `remember` was given it, or None; also where a state says that it made something else than
    this `kind` of thing.

    Args:
        scope: within what the token is unique, such as a tool's name or `calendar:<app_id>:<calendar_id>`.
        token: the caller's; None or "" was not sent and has made nothing.
        within_s: how long a token counts; without it, for ever.
    """
    row = context.get("idempotency", (scope, token)) if token else None
    if row is None or (within_s is not None and to_s(context.now()) - row.get("made_at", 0) >= within_s):
        return None
    made = row.get("made")
    return made if isinstance(made, kind) else None


def remember(context: AppContext, scope: str, token: str | None, made: Any) -> None:
    """Keep what the token has made: any JSON, such as the id of the new object. Without a token, nothing happens."""
    if not token:
        return
    context.delete("idempotency", (scope, token))
    context.create("idempotency", {"scope": scope, "token": token, "made": made, "made_at": to_s(context.now())})
