"""Upstreams that are added at one gateway and shared by all gateways of the registry."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from soundstage.gateway.registry.database import Database
from soundstage.gateway.registry.upstreams import UpstreamRecords
from soundstage.gateway.upstream.config import UpstreamConfigError, in_clear, parse_declarations
from soundstage.gateway.upstream.shared import SharedUpstreams
from soundstage.gateway.upstream.upstream import Upstream
from soundstage.gateway.upstream.upstreams import UnknownUpstream, Upstreams

WAY = {"UPSTREAM_TEST_KEY": "sesame-open-1234"}


@dataclass
class Member:
    """The parts of a gateway that handle upstreams."""

    upstreams: Upstreams
    shared: SharedUpstreams

    @property
    def names(self) -> list[str]:
        return [u.name for u in self.upstreams.all()]

    async def declare(self, entries: dict[str, Any]) -> list[Upstream]:
        return await self.shared.declare(entries, parse_declarations({"mcpServers": entries}, WAY))


@asynccontextmanager
async def _gateway(folder: Path, *, at_start: dict[str, Any] | None = None) -> AsyncIterator[Member]:
    database = Database(folder, None)
    await database.connect()
    upstreams = Upstreams()
    shared = SharedUpstreams(upstreams, UpstreamRecords(database))
    await upstreams.start(parse_declarations({"mcpServers": at_start or {}}, WAY))
    await shared.start()
    try:
        yield Member(upstreams, shared)
    finally:
        await shared.stop()
        await upstreams.stop()
        await database.close()


async def test_upstreams_added_or_removed_at_one_gateway_are_shared(tmp_path: Path, everything_http: str) -> None:
    async with _gateway(tmp_path) as first, _gateway(tmp_path) as second:
        await first.declare({"web": {"url": everything_http}})
        await second.shared.catch_up()
        upstream = second.upstreams.get("web")
        assert (upstream.status, "echo" in upstream.tools) == ("up", True)
        with pytest.raises(UpstreamConfigError, match="remove it first"):
            await second.declare({"WEB": {"url": everything_http}})
        async with _gateway(tmp_path) as third:
            assert third.names == ["web"], "a gateway that starts has what was added before"
        await second.shared.remove("web")
        await first.shared.catch_up()
        assert first.names == second.names == []
        with pytest.raises(UnknownUpstream):
            await first.shared.remove("web")


async def test_the_registry_stores_no_secret(
    tmp_path: Path, everything_http: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in WAY.items():
        monkeypatch.setenv(name, value)
    async with _gateway(tmp_path) as first, _gateway(tmp_path) as second:
        await first.declare(
            {
                "referred": {"url": everything_http, "headers": {"X-Key": "Bearer ${UPSTREAM_TEST_KEY}"}},
                "in_clear": {"url": everything_http, "headers": {"X-Key": "Bearer in-clear-5678"}},
                "in_query": {"url": f"{everything_http}?key=in-clear-5678"},
            }
        )
        await second.shared.catch_up()
        assert first.names == ["in_clear", "in_query", "referred"]
        assert second.names == ["referred"]
        assert [first.shared.is_shared(name) for name in first.names] == [False, False, True]
        server: Any = second.upstreams.get("referred").declaration.server
        assert server.headers == {"X-Key": "Bearer sesame-open-1234"}
        database = Database(tmp_path, None)
        async with database.reading() as connection:
            rows = str((await connection.execute(text("SELECT * FROM upstream"))).all())
        await database.close()
        assert "${UPSTREAM_TEST_KEY}" in rows
        assert "sesame" not in rows
        assert "in-clear" not in rows
        await first.shared.remove("in_clear")
        assert first.names == ["in_query", "referred"]


async def test_upstreams_from_the_command_line_are_not_shared(tmp_path: Path, everything_http: str) -> None:
    async with _gateway(tmp_path, at_start={"web": {"url": everything_http}}) as first, _gateway(tmp_path) as second:
        await second.declare({"web": {"url": everything_http}})
        await first.shared.catch_up()
        assert first.upstreams.get("web").declared_at == "start"
        await second.shared.remove("web")
        await first.shared.catch_up()
        assert (first.names, second.names) == (["web"], [])


@pytest.mark.parametrize(
    ("args", "where"),
    [
        (["--api-key", "sk-1"], "args.1"),
        (["--api-key=sk-1"], "args.0"),
        (["-y", "server", "API_TOKEN=t-1"], "args.2"),
        (["--api-key", "${KEY}"], None),
        (["--token=${TOKEN}"], None),
        (["--auth", "--verbose"], None),
        (["-y", "@scope/server-keyboard", "--port=80"], None),
    ],
)
def test_an_option_named_like_a_secret_is_treated_as_one(args: list[str], where: str | None) -> None:
    assert in_clear({"command": "npx", "args": args}) == where
