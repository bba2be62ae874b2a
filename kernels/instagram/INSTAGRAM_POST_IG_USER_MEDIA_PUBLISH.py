"""The `INSTAGRAM_POST_IG_USER_MEDIA_PUBLISH` tool."""

from __future__ import annotations

from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import me
from soundstage.kernels.instagram.rules.containers import status
from soundstage.kernels.instagram.rules.errors import ServerError, UnprefixedError
from soundstage.kernels.instagram.rules.nodes import CONTAINER, find_typed
from soundstage.kernels.instagram.rules.publishing import publish
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_LONGEST_WAIT_S, _INTERVAL_S = 45, 3
_LOOKS_BELOW_ZERO = 15
_FINAL = ("FINISHED", "ERROR", "EXPIRED", "PUBLISHED")


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Publish a container once it is processed, polling its status.

    The status is checked as often as the interval fits into the maximum wait, so not at all if it is longer. The
    waiting advances the session's clock.
    """
    me(context)
    creation_id = arguments["creation_id"]
    longest = min(arguments["max_wait_seconds"] or _LONGEST_WAIT_S, _LONGEST_WAIT_S)
    interval = arguments["poll_interval_seconds"] or _INTERVAL_S
    looks = longest // interval if interval > 0 else _LOOKS_BELOW_ZERO
    waited = 0
    for _ in range(looks):
        if waited >= longest:
            message = f"Media container did not finish processing within {longest} seconds."
            raise UnprefixedError("unavailable", message)
        container = find_typed(context, creation_id, CONTAINER, "status_code")
        now = context.now() + timedelta(seconds=waited)
        code = status(container, now)
        if code in _FINAL:
            context.wait(waited * 1000)
        data = {"status_code": code, "id": creation_id}
        match code:
            case "FINISHED":
                return success_envelope(publish(context, arguments, container, now))
            case "ERROR":
                raise UnprefixedError("invalid", "Media container failed processing: Unknown error", data)
            case "EXPIRED":
                raise UnprefixedError("conflict", "Media container has expired. Create a new one.", data)
            case "PUBLISHED":
                return {**success_envelope(data), "message": "Media was already published"}
        if interval < 0:
            raise ServerError("invalid", "sleep length must be non-negative")
        waited += interval
    context.wait(waited * 1000)
    message = f"Timeout after {longest}s. Use GET_POST_STATUS to check manually."
    raise UnprefixedError("unavailable", message, {"creation_id": creation_id})
