"""The gateway extension for recordings and synthesised apps: web pages, and JSON below /api."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage import app_roots
from soundstage.gateway.extension import GatewayServices, Plane
from soundstage.gateway.settings import APPS
from soundstage.gateway.web.page import Section, environment
from soundstage.synthesis.web import models, page_data

_TEMPLATES = Path(__file__).parent / "templates"
_PAGES_KEPT = 16
_Stamp = tuple[tuple[str, int, int], ...]
"""The files that a page was made from: name, modification time, size."""


class Syntheses:
    """The extension, see `soundstage.gateway.extension.Extension`; results are cached until the files change."""

    sections: ClassVar[Sequence[Section]] = (("/synthesis", "Synthesis"),)

    def __init__(self, services: GatewayServices) -> None:
        self._data = services.settings.data
        self._web = replace(services.web, environment=environment(_TEMPLATES))
        self._readers = services.web.reader.readers
        self._cache: dict[tuple[str, str], tuple[_Stamp, page_data.PageData]] = {}

    def add_routes(self, control: FastAPI) -> None:
        """Add the API of recordings and synthesised apps."""

        @control.get("/api/synthesis")
        async def list_syntheses() -> models.Overview:
            """The recordings and synthesised apps of the data folder."""
            return models.Overview(**await self._overview())

        @control.get("/api/synthesis/pools/{pool}")
        async def show_pool(pool: str) -> models.PoolShown:
            """A recording of a real server: its calls, the gaps and their reasons. Returns 409 if the files cannot be read."""
            return models.PoolShown(**(await self._pool(pool))["pool"])

        @control.get("/api/synthesis/apps/{app}")
        async def show_synthesis(app: str) -> models.SynthesisShown:
            """A synthesised app: rounds, scores with intervals and worst mismatches per tool.

            Returns 409 if its lock cannot be read.
            """
            return models.SynthesisShown(**(await self._app(app))["app"])

    def planes(self) -> Sequence[Plane]:
        """Return no further planes."""
        return []

    def pages(self) -> Sequence[BaseRoute]:
        """Return the web pages."""

        async def show_all(request: Request) -> Response:
            overview = models.Overview(**await self._overview())
            by_id = {pool.id: pool.name for pool in overview.pools if pool.id is not None}
            return self._web.page(
                request,
                "synthesis.html.jinja",
                title="Synthesis",
                twin="/api/synthesis",
                overview=overview,
                by_id=by_id,
            )

        async def show_pool(request: Request) -> Response:
            name: str = request.path_params["pool"]
            data = await self._pool(name)
            shown = models.PoolShown(**data["pool"])
            apps = [a.name for a in models.Overview(**await self._overview()).apps if a.pool == shown.id]
            return self._web.page(
                request, "pool.html.jinja", title=f"Recording {name}", twin=f"/api/synthesis/pools/{name}",
                pool=shown, picture=data["picture"], apps=apps,
            )  # fmt: skip

        async def show_app(request: Request) -> Response:
            name: str = request.path_params["app"]
            shown = models.SynthesisShown(**(await self._app(name))["app"])
            pools = [p.name for p in models.Overview(**await self._overview()).pools if p.id == shown.pool]
            return self._web.page(
                request, "measured.html.jinja", title=f"Synthesis of {name}", twin=f"/api/synthesis/apps/{name}",
                app=shown, pools=pools,
            )  # fmt: skip

        return [
            self._web.route("/synthesis", show_all),
            self._web.route("/synthesis/pools/{pool}", show_pool),
            self._web.route("/synthesis/apps/{app}", show_app),
        ]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do nothing while the gateway runs."""
        yield

    # -- reading --------------------------------------------------------------------------------------------------------

    def _roots(self) -> tuple[Path, ...]:
        """Return the roots with synthesised apps: the data folder if it has any by now, and other roots."""
        return tuple(dict.fromkeys([(self._data / APPS).resolve(), *(root.folder for root in app_roots.roots())]))

    async def _overview(self) -> dict[str, Any]:
        async with self._readers.turn() as turn:
            return await turn.answer(page_data.overview, self._data, self._roots())

    async def _pool(self, name: str) -> page_data.PageData:
        folder = page_data.pool_folders(self._data).get(name)
        if folder is None:
            raise HTTPException(404, f"there is no pool {name[:80]!r} below {page_data.POOLS}/ of the data folder")
        return await self._read(("pool", name), _stamp(folder, page_data.SOURCES), page_data.pool_page, name, folder)

    async def _app(self, name: str) -> page_data.PageData:
        root = page_data.app_folders(self._roots()).get(name)
        if root is None:
            raise HTTPException(404, f"no app {name[:80]!r} was synthesised here")
        files = [
            p.relative_to(root).as_posix() for kind in ("kernels", "servers") for p in (root / kind / name).rglob("*.*")
        ]
        return await self._read(("app", name), _stamp(root, sorted(files)), page_data.app_page, root, name)

    async def _read(
        self, key: tuple[str, str], stamp: _Stamp, work: Callable[..., page_data.PageData], *arguments: object
    ) -> page_data.PageData:
        """Run `work` in a reader process, or return the cached result for unchanged files.

        Raises:
            HTTPException: 409 with a description of the problem.
        """
        cached_stamp, data = self._cache.get(key, ((), {}))
        if cached_stamp != stamp or not data:
            async with self._readers.turn() as turn:
                data = await turn.answer(work, *arguments)
            self._cache.pop(key, None)
            self._cache[key] = stamp, data
            if len(self._cache) > _PAGES_KEPT:
                del self._cache[next(iter(self._cache))]
        if "problem" in data:
            raise HTTPException(409, f"{key[0]} {key[1]}: {data['problem']}")
        return data


def _stamp(folder: Path, names: Sequence[str]) -> _Stamp:
    result = []
    for name in names:
        try:
            status = (folder / name).stat()
        except OSError:
            continue
        result.append((name, status.st_mtime_ns, status.st_size))
    return tuple(result)
