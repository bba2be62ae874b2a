"""The home page and its links: worlds with their people, sessions with their clients."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from tests.conftest import REPOSITORY, Gateway
from tests.gateway.web.conftest import with_client


def _text(gateway: Gateway, path: str) -> str:
    """Return the text of a page without its markup."""
    answer = httpx2.get(gateway.url + path, timeout=60)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text.replace("<wbr>", "")))


def test_the_home_page_links_to_every_section(gateway: Gateway) -> None:
    page = httpx2.get(f"{gateway.url}/").text
    for path in (
        "/sessions",
        "/sessions#new",
        "/worlds/studio",
        "/worlds/campus",
        "/search?app=slack",
        "/openapi.json",
    ):
        assert f'href="{path}"' in page
    assert f'value="{gateway.url}/mcp"' in page
    text = _text(gateway, "/")
    for document in set((REPOSITORY / "docs").glob("*.md")) - {
        REPOSITORY / "docs/index.md"
    }:  # the first page of the documentation site
        assert f'href="/docs/{document.stem}"' in page
    for words in ("Lantern Studio", "people", "31 tools", "Adversarial", "soundstage connect"):
        assert words in text
    glance = gateway.api("GET", "/overview").json()
    assert glance["mcp_url"] == f"{gateway.url}/mcp"
    assert {"studio", "empty"} <= set(glance["worlds"])
    assert {"lark", "slack"} <= set(glance["apps"])
    assert "storm" in glance["presets"]


def test_a_world_page_shows_its_people_and_its_content(gateway: Gateway) -> None:
    text = _text(gateway, "/worlds/studio")
    assert "何静 he_jing People and Finance Manager" in text
    world: dict[str, Any] = gateway.api("GET", "/worlds/studio").json()
    he_jing = next(p for p in world["people"] if p["key"] == "he_jing")
    assert he_jing["name"] == "何静"
    assert {"lark", "notion", "slack", "xiaohongshu"} <= set(he_jing["accounts"])
    made = gateway.session(world="studio", apps=["lark"])
    there = gateway.api("GET", f"/sessions/{made['id']}/state", params={"app": "lark", "entity": "message"}).json()
    assert world["rows"]["lark"]["message"] == len(there["lark"]["message"])
    listed = {w["name"]: w for w in gateway.api("GET", "/worlds").json()}
    assert listed["studio"]["people"] == len(world["people"])
    gateway.api("DELETE", f"/sessions/{made['id']}")


def test_the_gateway_serves_the_documentation_without_broken_links(gateway: Gateway) -> None:
    folder = REPOSITORY / "docs"
    pages = {p.relative_to(folder).with_suffix("").as_posix(): p.read_text() for p in folder.rglob("*.md")}
    shown = {f"/docs/{name}": httpx2.get(f"{gateway.url}/docs/{name}").text for name in pages}
    for path, page in shown.items():
        article = page.partition('<article class="prose">')[2].partition("</article>")[0]
        assert "<h1 id=" in article, path
        for link in re.findall(r'(?:href|src)="((?!https?:)[^"]+)"', article):
            target, _, heading = link.partition("#")
            target = target or path
            if heading:
                assert f'id="{heading}"' in shown[target], f"{path} leads to {link}"
            else:
                assert target in shown or httpx2.get(gateway.url + target).status_code == 200, f"{path} leads to {link}"
    assert {d["name"] for d in gateway.api("GET", "/docs").json()} == {
        name for name in pages if "/" not in name and name != "index"
    }
    assert gateway.api("GET", "/docs/apps/slack").json()["text"] == pages["apps/slack"]
    for stranger in ("nowhere", "../README", "pictures/../sessions.md"):
        assert httpx2.get(f"{gateway.url}/docs/{stranger}").status_code == 404
    assert httpx2.get(f"{gateway.url}/docs", follow_redirects=True).text == shown["/docs/connect"]


@pytest.mark.parametrize("name", ["nowhere", "..", "a" * 300])
def test_an_unknown_world_is_reported(gateway: Gateway, name: str) -> None:
    answer = gateway.api("GET", f"/worlds/{name}")
    assert answer.status_code in (400, 404)
    assert "error" in answer.json()


def test_lists_of_sessions_show_the_name_the_client_and_the_last_call(gateway: Gateway) -> None:
    made = gateway.session(world="empty", name="watched-from-home")

    async def work(client: Client) -> None:
        await client.call_tool("lark_im_v1_chat_list", {})

    with_client(made["mcp_url"], work)
    for path in ("/", "/sessions"):
        row = _text(gateway, path).partition("watched-from-home")[2][:800]
        assert "im_v1_chat_list" in row
        assert re.search(r"mcp/\d", row), row
        assert re.search(r"session \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", row)
    page = gateway.api("GET", "/sessions", params={"activity": True, "limit": 5}).json()
    listed = next(s for s in page["sessions"] if s["name"] == "watched-from-home")["activity"]
    assert (listed["calls"], listed["failed"], listed["last"]["app"]) == (1, 0, "lark")
    assert listed["last"]["client"].startswith("mcp/")
    assert "activity" in gateway.api("GET", "/sessions").json()["sessions"][0]
    gateway.api("DELETE", f"/sessions/{made['id']}")
