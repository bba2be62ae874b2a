"""The composition root: the gateway with its extensions for runs and synthesis."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette

from soundstage.gateway.app import build_app
from soundstage.gateway.settings import Settings
from soundstage.gateway.upstream.config import Declaration
from soundstage.runs.extension import Runs
from soundstage.synthesis.web.extension import Syntheses


def build(settings: Settings, *, warm: bool = False, declared: Sequence[Declaration] = ()) -> Starlette:
    """Build the gateway's application; see `soundstage.gateway.app.build_app`."""
    return build_app(settings, warm=warm, declared=declared, extensions=[Runs, Syntheses])
