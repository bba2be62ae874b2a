"""The home page with an overview and connection instructions, and the pages of the worlds."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.contexts.engine.schema import StateError
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.connect.clients import CLIENTS
from soundstage.gateway.documents import DOCUMENTS
from soundstage.gateway.faults.schedule import preset, preset_names
from soundstage.gateway.journal.activity import list_with_activity
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.settings import DEFAULT_SESSION
from soundstage.gateway.web.page import Web
from soundstage.servers.catalogue import load_apps
from soundstage.source import SourceError
from soundstage.worlds import list_worlds, load_world, own_folder
from soundstage.worlds.contents import contents, known_contents

_NEWEST = 5


def routes(web: Web) -> list[BaseRoute]:
    """Return the start page."""
    built = web.settings.built or web.settings.worlds

    async def show(request: Request) -> Response:
        worlds = list_worlds(own_folder(web.settings.worlds))
        records, total = await web.sessions.page(offset=0, limit=_NEWEST)
        return web.page(
            request,
            "home.html.jinja",
            title="Home",
            twin="/api/overview",
            mcp_url=Addresses.seen_from(request, web.settings).shared,
            open_here=web.settings.open_here,
            default=DEFAULT_SESSION,
            clients=[(kind.name, kind.title) for kind in CLIENTS.values()],
            listed=await list_with_activity(web.sessions, web.tally, records),
            total=total,
            worlds=[(w, known_contents(w, built)) for w in sorted(worlds, key=lambda w: w.name != web.settings.world)],
            apps=load_apps(),
            upstreams=web.upstreams.all(),
            presets=[(name, preset(name)) for name in preset_names()],
            documents=DOCUMENTS,
        )

    async def show_world(request: Request) -> Response:
        world = load_world(request.path_params["world"], own_folder(web.settings.worlds))
        try:
            inside = await asyncio.to_thread(contents, world, built)
        except (SourceError, StateError) as error:
            raise BadRequest(str(error)) from None
        twin = f"/api/worlds/{world.name}"
        return web.page(
            request, "world.html.jinja", title=world.title, twin=twin, world=world, inside=inside, apps=load_apps()
        )

    return [web.route("/", show), web.route("/worlds/{world}", show_world)]
