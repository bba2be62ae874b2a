"""The `INSTAGRAM_CREATE_POST` tool."""

from __future__ import annotations

from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import me
from soundstage.kernels.instagram.rules.containers import status
from soundstage.kernels.instagram.rules.errors import UnprefixedError
from soundstage.kernels.instagram.rules.nodes import CONTAINER, find_typed
from soundstage.kernels.instagram.rules.publishing import publish
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_LOOKS = 15
_FIRST_DELAY_S, _LONGEST_DELAY_S, _GROWTH = 3.0, 10.0, 1.5


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Publish a container once it is processed.

    The server checks the status 15 times at growing intervals, about two minutes in all, and then tries to publish
    whatever the status is. The waiting advances the session's clock.
    """
    me(context)
    container = find_typed(context, arguments["creation_id"], CONTAINER, "status_code")
    waited, delay = 0.0, _FIRST_DELAY_S
    for look in range(_LOOKS):
        now = context.now() + timedelta(seconds=waited)
        code = status(container, now)
        if code == "ERROR":
            context.wait(int(waited * 1000))
            raise UnprefixedError("invalid", "Media container processing failed")
        if code == "FINISHED":
            break
        if look < _LOOKS - 1:
            waited += delay
            delay = min(delay * _GROWTH, _LONGEST_DELAY_S)
    context.wait(int(waited * 1000))
    return success_envelope(publish(context, arguments, container, now))
