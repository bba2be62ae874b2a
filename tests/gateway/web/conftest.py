"""A real browser, Debian's Chromium, driven by Playwright, and screenshots of its pages."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from tests.conftest import REPOSITORY, Gateway

SCREENS = Path(os.environ.get("SOUNDSTAGE_SCREENS", REPOSITORY / "build" / "screens"))
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium. The module scope ends Playwright's event loop before tests that start an event loop themselves."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    program = os.environ.get("SOUNDSTAGE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs a browser: apt-get install chromium (or set SOUNDSTAGE_CHROMIUM)")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages: new_page(width=…, height=…, dark=…). An error on a page's console fails the test."""
    opened: list[Any] = []
    complaints: list[str] = []

    def make(*, width: int = 1360, height: int = 800, dark: bool = False) -> Any:
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        opened.append(page)
        return page

    yield make
    for page in opened:
        page.close()
    assert complaints == []


def keep(page: Any, name: str) -> None:
    """Store a screenshot for inspection."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SCREENS / f"{name}.png"))


def with_client(url: str, work: Callable[[Client], Awaitable[Any]]) -> Any:
    """Run an MCP client while the browser is open."""

    async def run() -> Any:
        async with Client(url) as client:
            return await work(client)

    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, run()).result()


def call(gateway: Gateway, session: str, app: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool through the control plane."""
    body = {"app": app, "tool": tool, "arguments": arguments}
    response = gateway.api("POST", f"/sessions/{session}/calls", json=body)
    assert response.status_code == 200, response.text
    made: dict[str, Any] = response.json()
    return made
