"""The page routes of tasks, runs and trials."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from starlette.routing import BaseRoute

from soundstage.gateway.extension import GatewayServices
from soundstage.gateway.web.page import environment
from soundstage.runs.store import RunStore
from soundstage.runs.web import runs, tasks, trials

_TEMPLATES = Path(__file__).parent / "templates"


def page_routes(services: GatewayServices, store: RunStore) -> list[BaseRoute]:
    """Return the routes of the pages, in the gateway's layout."""
    web = replace(services.web, environment=environment(_TEMPLATES))
    return [*tasks.routes(web), *runs.routes(web, store), *trials.routes(web, store)]
