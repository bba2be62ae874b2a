"""The `INSTAGRAM_GET_POST_STATUS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.fields import Field
from soundstage.kernels.instagram.rules.nodes import find, project
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return a container's status."""
    node = find(context, arguments["creation_id"])
    return success_envelope(project(context, node, [Field("status_code")]))
