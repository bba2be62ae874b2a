"""Every view of the journal shows what answered a call, and a session can list tools that nothing answers."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import httpx2
import pytest
from mcp.client import Client

from soundstage import app_roots
from soundstage.app_roots import digest
from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.storage import initialize
from soundstage.contexts.engine.store import Context, create_tables, tune
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.lines import lines
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app
from tests.conftest import Gateway, run_here, start_gateway, stop_gateway
from tests.synthesis.generate.small_app import app_files

KERNEL = "def run(context, arguments):\n    return 'here'\n"


def put_shop(folder: Path, *silent: str, **kernels: str) -> None:
    """Write the small app into a root, as a synthesis leaves it."""
    files = app_files(*silent, **kernels)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    lock = {"accepted": {path: digest(content) for path, content in files.items()}}
    (folder / "servers/shop" / app_roots.LOCK).write_text(json.dumps(lock))


@pytest.fixture(scope="module")
def shop_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway with the shop, whose tool `look` has a kernel and whose tool `buy` has none."""
    data = tmp_path_factory.mktemp("shop")
    put_shop(data / "apps", "buy", look=KERNEL)
    gateway = start_gateway(data)
    yield gateway
    stop_gateway(gateway)


@pytest.fixture(scope="module")
def session(shop_gateway: Gateway) -> dict[str, Any]:
    """A session with calls of both tools, of a tool that the app does not have, and of a tool of no app."""
    made = shop_gateway.session(world="empty", apps=["shop", "slack"], name="shopping")

    async def call() -> None:
        async with Client(made["apps"]["shop"]) as client:
            for tool in ("look", "buy", "steal"):
                await client.call_tool(tool, {})
        async with Client(made["mcp_url"]) as client:
            await client.call_tool("search_tools", {"query": "look"})
            await client.call_tool("slack_list_channels", {})

    asyncio.run(call())
    return made


def tools_at(address: str) -> list[str]:
    async def listed() -> list[str]:
        async with Client(address) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return asyncio.run(listed())


def test_every_journal_line_shows_what_answered(shop_gateway: Gateway, session: dict[str, Any]) -> None:
    answered_by = {line["tool"]: line["answered_by"] for line in shop_gateway.journal(session["id"])}
    assert answered_by == {
        "look": "kernel", "buy": "none", "steal": None, "search_tools": "gateway", "slack_list_channels": "kernel",
    }  # fmt: skip


def test_the_command_shows_what_answered_unless_it_was_a_kernel(shop_gateway: Gateway, session: dict[str, Any]) -> None:
    shown = run_here("sessions", "journal", "shopping", "--url", shop_gateway.url).output
    (buy,) = [text for text in shown.splitlines() if "shop buy" in text]
    (look,) = [text for text in shown.splitlines() if "shop look" in text]
    assert "answered by none" in buy
    assert "answered by" not in look


def test_the_exported_timeline_shows_what_answered(shop_gateway: Gateway, session: dict[str, Any]) -> None:
    text = httpx2.get(f"{shop_gateway.url}/api/sessions/{session['id']}/journal.csv").text
    rows = {row["tool"]: row["answered_by"] for row in csv.DictReader(io.StringIO(text))}
    assert (rows["look"], rows["buy"], rows["steal"]) == ("kernel", "none", "")


def test_the_pages_show_what_answered(shop_gateway: Gateway, session: dict[str, Any]) -> None:
    pages = f"{shop_gateway.url}/sessions/{session['id']}"
    timeline = httpx2.get(pages).text
    assert timeline.count("answered by none") == 1
    assert "answered by kernel" not in timeline
    step = {line["tool"]: line["step"] for line in shop_gateway.journal(session["id"])}
    assert "answered by <b>none</b>" in httpx2.get(f"{pages}/calls/{step['buy']}").text
    assert "answered by <b>kernel</b>" in httpx2.get(f"{pages}/calls/{step['look']}").text
    app = httpx2.get(f"{pages}/apps/shop").text
    assert "No kernel answers <code>buy</code> (none): no simulation of it was accepted." in app


def test_unanswered_tools_are_listed_if_the_session_asks_for_them(shop_gateway: Gateway) -> None:
    hiding = shop_gateway.session(world="empty", apps=["shop"])
    listing = shop_gateway.session(world="empty", apps=["shop"], unavailable="list")
    assert (hiding["unavailable"], listing["unavailable"]) == ("hide", "list")
    assert tools_at(hiding["apps"]["shop"]) == ["look"]
    assert tools_at(listing["apps"]["shop"]) == ["look", "buy"]
    assert "shop_buy" not in tools_at(hiding["mcp_url"])
    assert tools_at(listing["mcp_url"])[:2] == ["shop_look", "shop_buy"]


def test_a_listed_tool_without_a_kernel_is_refused_as_not_available(shop_gateway: Gateway) -> None:
    made = shop_gateway.session(world="empty", apps=["shop"], unavailable="list")
    fork = shop_gateway.api("POST", f"/sessions/{made['id']}/fork", json={}).json()
    assert fork["unavailable"] == "list"

    async def call(address: str, name: str) -> Any:
        async with Client(address) as client:
            return await client.call_tool(name, {})

    for address, name in ((made["mcp_url"], "shop_buy"), (fork["apps"]["shop"], "buy")):
        reply = asyncio.run(call(address, name))
        assert reply.is_error
        assert "Unavailable" in reply.content[0].text
    for one in (made, fork):
        (line,) = shop_gateway.journal(one["id"])
        assert (line["tool"], line["error_kind"], line["answered_by"]) == ("buy", "unavailable", "none")


# -- an app that changes -----------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Returns a function that puts the shop into a root of this process: shop("buy", look=KERNEL)."""

    def put(*silent: str, **kernels: str) -> None:
        put_shop(tmp_path, *silent, **kernels)
        app_roots.add(tmp_path)
        app_roots.changed()

    yield put
    app_roots.remove(tmp_path)


def shopping() -> Session:
    """A session in memory with the shop in its present version."""
    tables, clock = tables_for(["shop"]), Clock("frozen", 0)
    connection = apsw.Connection(":memory:")
    create_tables(connection, tables, world="empty", seed=0, clock=clock)
    context = initialize(
        Context(tune(connection), tables), seed=0, clock=clock, versions={"shop": load_app("shop").version}
    )
    record = SessionRecord("s", "s", None, "empty", ("shop",), 0, clock, 0, None, durability="memory")
    return Session(record, context)


def said_by(session: Session) -> list[tuple[str, str | None]]:
    return [(line["tool"], line["answered_by"]) for line in lines(session.context)]


def test_a_call_keeps_its_answered_by_after_the_app_changes(shop: Callable[..., None]) -> None:
    shop("buy", look=KERNEL)
    session = shopping()
    dispatch(session, load_app("shop"), "buy", {})
    dispatch(session, load_app("shop"), "look", {})
    shop("look", buy=KERNEL)  # now the other way round
    dispatch(session, load_app("shop"), "buy", {})
    dispatch(session, load_app("shop"), "look", {})
    assert said_by(session) == [("buy", "none"), ("look", "kernel"), ("buy", "kernel"), ("look", "none")]


def test_a_kernels_own_not_available_refusal_is_answered_by_the_kernel(shop: Callable[..., None]) -> None:
    refusing = (
        "from soundstage.kernels.errors import AppError\n\n\n"
        "def run(context, arguments):\n    raise AppError('unavailable', 'closed on Sundays')\n"
    )
    shop(look=refusing)
    session = shopping()
    dispatch(session, load_app("shop"), "look", {})
    assert said_by(session) == [("look", "kernel")]


def test_calls_of_a_removed_app_have_no_answered_by(shop: Callable[..., None]) -> None:
    shop(look=KERNEL)
    session = shopping()
    dispatch(session, load_app("shop"), "look", {})
    for root in app_roots.roots():
        app_roots.remove(root.folder)
    assert said_by(session) == [("look", None)]
