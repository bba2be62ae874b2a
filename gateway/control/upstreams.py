"""The control plane's routes about upstreams: list, add and remove them."""

from __future__ import annotations

import asyncio
import os
from typing import Literal, cast

from fastapi import FastAPI, Request
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from soundstage.bounded_input import Refused, read_json
from soundstage.gateway.registry.upstreams import Entry
from soundstage.gateway.settings import Settings
from soundstage.gateway.upstream.config import CommandServer, UpstreamConfigError, parse_declarations
from soundstage.gateway.upstream.shared import SharedUpstreams
from soundstage.gateway.upstream.upstream import Upstream
from soundstage.gateway.upstream.upstreams import Upstreams

_SERVER = {
    "type": "object",
    "properties": {
        "url": {"type": "string"},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "type": {"enum": ["http", "sse"]},
        "command": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "cwd": {"type": "string"},
        "timeout": {"type": "number", "description": "seconds of silence while a request waits"},
    },
}
_DECLARATIONS = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["mcpServers"],
                    "properties": {"mcpServers": {"type": "object", "additionalProperties": _SERVER}},
                }
            }
        },
    }
}


class UpstreamShown(BaseModel):
    """An upstream and its status. Its `env` and `headers` are not shown."""

    name: str
    kind: Literal["stdio", "http", "sse"]
    server: str = Field(description="its command, or its address without query")
    declared: Literal["start", "control"] = Field(description="with the gateway's start, or over the control plane")
    shared: bool = Field(description="stored in the registry, so that every gateway has it until it is removed")
    status: Literal["starting", "up", "down"]
    reason: str | None = Field(description="why it is down")
    retry_in: float | None = Field(description="seconds until it is tried again")
    protocol: str | None = Field(description="the newest known revision that it supports")
    tools: int
    problems: list[str] = Field(description="problems with its list of tools")


def add_upstream_routes(api: FastAPI, upstreams: Upstreams, shared: SharedUpstreams, settings: Settings) -> None:
    """Add the routes that list, declare and remove upstreams."""

    @api.get("/api/upstreams")
    async def list_upstreams() -> list[UpstreamShown]:
        """List the real MCP servers that are served next to the simulated apps."""
        await shared.catch_up()
        return [upstream_shown(upstream, shared) for upstream in upstreams.all()]

    @api.post("/api/upstreams", status_code=201, openapi_extra=_DECLARATIONS)
    async def declare_upstreams(request: Request) -> list[UpstreamShown]:
        """Add servers, declared as in an MCP client's configuration, at every gateway of the registry until they are removed.

        A declaration with a secret in clear, instead of `${NAME}`, stays in this gateway and lasts until it ends. Servers that
        are commands, and `${NAME}`, are accepted only with the control plane's token.
        """
        try:
            wanted = read_json(await request.body())
        except Refused as refused:
            raise UpstreamConfigError(f'the body {refused}; send {{"mcpServers": {{…}}}}') from None
        # The request has already been authorized with the token, if there is one.
        declarations = parse_declarations(wanted, os.environ if settings.token is not None else None)
        if settings.token is None and any(isinstance(d.server, CommandServer) for d in declarations):
            raise HTTPException(
                403,
                "servers that are commands are declared at the gateway's start (--upstream FILE), or over a control "
                "plane that has a token (--token)",
            )
        entries = cast(dict[str, dict[str, Entry]], wanted)["mcpServers"]
        return [upstream_shown(upstream, shared) for upstream in await shared.declare(entries, declarations)]

    @api.delete("/api/upstreams/{name}", status_code=204)
    async def remove_upstream(name: str) -> None:
        """Remove an upstream with all of its connections and processes."""
        await shared.remove(name)


def upstream_shown(upstream: Upstream, shared: SharedUpstreams) -> UpstreamShown:
    """Return an upstream as the API shows it."""
    server = upstream.declaration.server
    down = upstream.status == "down" and upstream.retry_at is not None
    left_s = max(0.0, (upstream.retry_at or 0) - asyncio.get_running_loop().time())
    return UpstreamShown(
        name=upstream.name,
        kind="stdio" if isinstance(server, CommandServer) else server.kind,
        server=upstream.declaration.shown,
        declared=upstream.declared_at,
        shared=shared.is_shared(upstream.name),
        status=upstream.status,
        reason=upstream.reason,
        retry_in=round(left_s, 1) if down else None,
        protocol={True: "2026-07-28", False: "2025-11-25", None: None}[upstream.modern],
        tools=len(upstream.tools),
        problems=list(upstream.problems),
    )
