"""The `INSTAGRAM_GET_IG_MEDIA` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import find, project
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return one post; without `fields` only its id."""
    node = find(context, arguments["ig_media_id"])
    return success_envelope(project(context, node, parse(arguments.get("fields") or "id")))
