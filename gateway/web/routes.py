"""All pages, in one place. Each has its twin as JSON below `/api`, which its foot links to."""

from __future__ import annotations

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from soundstage.gateway.access import Access
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.inspection.copies import Copies
from soundstage.gateway.journal.overview import Tally
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.upstream.upstreams import Upstreams
from soundstage.gateway.web import (
    apps,
    data,
    difference,
    documents,
    entry,
    events,
    faults,
    finding,
    home,
    search,
    session_list,
    timeline,
    trying,
)
from soundstage.gateway.web.page import FOLDER, Web, environment


def page_routes(
    sessions: Sessions,
    settings: Settings,
    access: Access,
    calls: Calls,
    finder: ToolFinder,
    upstreams: Upstreams,
    tally: Tally,
    copies: Copies,
) -> list[BaseRoute]:
    """The routes of the web pages."""
    web = Web(sessions, settings, access, calls, finder, upstreams, environment(), tally, copies)
    return [
        *home.routes(web),
        *documents.routes(web),
        *entry.routes(web),
        *session_list.routes(web),
        *events.routes(web),
        *timeline.routes(web),
        *apps.routes(web),
        *finding.routes(web),
        *data.routes(web),
        *difference.routes(web),
        *trying.routes(web),
        *faults.routes(web),
        *search.routes(web),
        *apps.style_routes(),
        Mount("/static", StaticFiles(directory=FOLDER / "static")),
    ]
