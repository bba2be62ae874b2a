"""The routes of all pages. Each page has a JSON twin below `/api`, which its footer links to."""

from __future__ import annotations

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

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
    library,
    search,
    session_list,
    timeline,
    trying,
)
from soundstage.gateway.web.page import FOLDER, Web


def page_routes(web: Web) -> list[BaseRoute]:
    """Return the routes of the web pages."""
    return [
        *home.routes(web),
        *library.routes(web),
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
