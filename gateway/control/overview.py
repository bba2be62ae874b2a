"""The control plane's routes for exploring: the gateway's overview, and its worlds."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

import soundstage
from soundstage.contexts.engine.clock import iso
from soundstage.contexts.engine.library import shared
from soundstage.contexts.engine.schema import StateError
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.control.models import Moment
from soundstage.gateway.documents import DOCUMENTS, no_such, text_of, title_of
from soundstage.gateway.faults.schedule import preset_names
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.upstream.upstreams import Upstreams
from soundstage.servers.catalogue import app_names
from soundstage.source import SourceError
from soundstage.worlds import World, list_worlds, load_world, own_folder
from soundstage.worlds.contents import Contents, contents, known_contents


class WorldShown(BaseModel):
    """A world that sessions can start from. Its contents are null until its first session or its page builds it."""

    name: str
    title: str
    description: str
    epoch: Moment
    user: str | None = Field(description="the default user of its sessions")
    people: int | None = Field(description="number of people with accounts in it")
    rows: dict[str, int] | None = Field(description="app → number of its objects")


class PersonShown(BaseModel):
    """A person of a world; `key` identifies the person for sessions and seats."""

    key: str
    name: str
    role: str
    about: str
    accounts: list[str]


class WorldExamined(BaseModel):
    """A world with its people and its contents."""

    name: str
    title: str
    description: str
    epoch: Moment
    user: str | None
    people: list[PersonShown]
    rows: dict[str, dict[str, int]] = Field(description="app → entity → how many objects")


class LibraryShown(BaseModel):
    """The library that all sessions share."""

    digest: str = Field(description="a hash of all its facts")
    realms: dict[str, dict[str, int]] = Field(description="kind of facts → entity → how many")


class FactShown(BaseModel):
    """A fact of the library."""

    realm: str
    entity: str
    key: str
    fact: dict[str, Any]


class DocumentListed(BaseModel):
    """A page of the documentation."""

    name: str
    title: str
    about: str


class DocumentShown(BaseModel):
    """A page of the documentation with its text."""

    name: str
    title: str
    text: str = Field(description="as Markdown")


class Overview(BaseModel):
    """The overview of the gateway; the other routes have the details."""

    version: str
    mcp_url: str = Field(description="for MCP clients: the session named default, or that of a handle in Authorization")
    sessions: int
    worlds: list[str]
    apps: list[str]
    upstreams: list[str]
    presets: list[str] = Field(description="fault schedules that come with Soundstage")


def add_overview_routes(api: FastAPI, sessions: Sessions, settings: Settings, upstreams: Upstreams) -> None:
    """Add the routes to the control plane."""
    built = settings.built or settings.worlds

    @api.get("/api/overview")
    async def overview(request: Request) -> Overview:
        """Return an overview of this gateway."""
        return Overview(
            version=soundstage.__version__,
            mcp_url=Addresses.seen_from(request, settings).shared,
            sessions=await sessions.count(),
            worlds=[w.name for w in list_worlds(own_folder(settings.worlds))],
            apps=list(app_names()),
            upstreams=[u.name for u in upstreams.all()],
            presets=list(preset_names()),
        )

    @api.get("/api/library")
    async def library() -> LibraryShown:
        """Return the version of the library that all sessions share, and the number of facts of each kind."""
        opened = await asyncio.to_thread(shared)
        return LibraryShown(digest=opened.digest, realms=opened.counts())

    @api.get("/api/library/find")
    async def find_facts(
        q: Annotated[str, Query(min_length=1, max_length=200)], limit: Annotated[int, Query(ge=1, le=100)] = 10
    ) -> list[FactShown]:
        """Return the facts that contain a text in any field; at most `limit` of each kind."""
        opened = await asyncio.to_thread(shared)
        facts = await asyncio.to_thread(lambda: list(opened.find(q, limit)))
        return [FactShown(realm=f.realm, entity=f.entity, key=f.key, fact=f.fact) for f in facts]

    @api.get("/api/worlds")
    async def worlds() -> list[WorldShown]:
        """List the worlds that sessions can start from."""
        return [_world(w, known_contents(w, built)) for w in list_worlds(own_folder(settings.worlds))]

    @api.get("/api/worlds/{world}")
    async def show_world(world: str) -> WorldExamined:
        """Return a world with its people and its contents. A world that is not built yet is built now, in the background."""
        named_world = load_world(world, own_folder(settings.worlds))
        try:
            inside = await asyncio.to_thread(contents, named_world, built)
        except (SourceError, StateError) as error:
            raise BadRequest(str(error)) from None
        return WorldExamined(
            name=named_world.name,
            title=named_world.title,
            description=named_world.description,
            epoch=iso(named_world.epoch_ms),
            user=named_world.user,
            people=[PersonShown(key=p.key, name=p.name, role=p.role, about=p.about, accounts=list(p.accounts))
                    for p in inside.people],
            rows={app: dict(entities) for app, entities in inside.rows.items()},
        )  # fmt: skip

    @api.get("/api/docs")
    async def documents() -> list[DocumentListed]:
        """List the pages of the documentation."""
        return [DocumentListed(name=d.name, title=d.title, about=d.about) for d in DOCUMENTS]

    @api.get("/api/docs/{name:path}")
    async def document(name: str) -> DocumentShown:
        """Return a page of the documentation."""
        text = text_of(name)
        if text is None:
            raise HTTPException(404, no_such(name))
        return DocumentShown(name=name, title=title_of(text), text=text)


def _world(world: World, inside: Contents | None) -> WorldShown:
    return WorldShown(
        name=world.name,
        title=world.title,
        description=world.description,
        epoch=iso(world.epoch_ms),
        user=world.user,
        people=None if inside is None else len(inside.people),
        rows=None if inside is None else inside.totals,
    )
