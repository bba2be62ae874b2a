"""Read one post; without `fields` its id alone."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import find, project
from soundstage.kernels.instagram.rules.replies import Envelope, done
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    node = find(context, arguments["ig_media_id"])
    return done(project(context, node, parse(arguments.get("fields") or "id")))
