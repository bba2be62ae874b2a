"""The pages in a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from mcp.client import Client

from tests.conftest import Gateway
from tests.gateway.web.conftest import call, keep, with_client
from tests.gateway.web.content import state

pytestmark = pytest.mark.long

_CONTRAST = """() => {
  const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return c.startsWith("color(srgb")
    ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92
    : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] > 0.98) return c; } return [255, 255, 255, 1]; };
  const weak = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest(".skip, .hidden")) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(parse(style.color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) weak.push(`${e.tagName}.${e.className}: ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
  }
  return weak;
}"""

_OVERLAPS = """() => {
  const found = [];
  for (const call of document.querySelectorAll(".call")) {
    const words = (e) => { const r = document.createRange(); r.selectNodeContents(e); return [...r.getClientRects()]; };
    const badges = [...call.querySelectorAll(".tail > *")].flatMap((e) => [...e.getClientRects()]);
    const row = call.getBoundingClientRect();
    for (const part of call.querySelectorAll(".what, .args, .reply")) {
      const box = part.getBoundingClientRect();
      for (const w of words(part)) for (const b of badges) {
        const right = Math.min(w.right, box.right), left = Math.max(w.left, box.left);
        if (left < b.right && b.left < right && w.top < b.bottom && b.top < w.bottom) found.push(call.innerText);
      }
    }
    if (badges.some((b) => b.left < row.left || b.right > row.right)) found.push(`outside: ${call.innerText}`);
  }
  return found;
}"""


def _pages(session: str) -> dict[str, str]:
    here = f"/sessions/{session}"
    return {
        "home": "/",
        "world": "/worlds/studio",
        "sessions": "/sessions",
        "timeline": here,
        "call": f"{here}/calls/2",
        "lark": f"{here}/apps/lark",
        "lark-calendar": f"{here}/apps/lark?page=calendar",
        "slack": f"{here}/apps/slack?channel=C1&thread=1795136400.000100",
        "rednote": f"{here}/apps/xiaohongshu",
        "rednote-note": f"{here}/apps/xiaohongshu?note=n1",
        "notion": f"{here}/apps/notion",
        "notion-database": f"{here}/apps/notion?database=00000000-0000-4000-8000-000000000003",
        "puppeteer": f"{here}/apps/puppeteer",
        "google-search": f"{here}/apps/google_search",
        "tavily": f"{here}/apps/tavily",
        "filesystem": f"{here}/apps/filesystem?path=/srv/workspace/notes.txt",
        "tables": f"{here}/apps/lark?view=tables&entity=message",
        "object": f'{here}/apps/lark?view=tables&entity=chat&key=["oc_1"]',
        "past": f"{here}/apps/lark?at=1",
        "difference": f"{here}/diff",
        "try": f"{here}/try?app=lark&tool=im_v1_message_create",
        "tried": f"{here}/try?step=2",
        "faults": f"{here}/faults",
        "found": f"{here}/search?q=Hello",
        "data": f"{here}/data",
        "search": "/search?q=send+a+message",
    }


def _furnished(gateway: Gateway, **names: str) -> str:
    made = gateway.session(world="empty")
    session: str = made["id"]
    assert gateway.api("PUT", f"/sessions/{session}/state?mode=add", json=state(**names)).status_code == 200
    return session


def _ask(gateway: Gateway, session: str, words: str) -> None:
    """Make calls in the apps whose pages the test opens."""
    call(gateway, session, "puppeteer", "puppeteer_navigate", url="http://ferry.test/")
    call(gateway, session, "google_search", "search", query=words)
    call(gateway, session, "tavily", "tavily-search", query=words)


def test_a_session_is_created_watched_rewound_forked_compared_and_tried(
    gateway: Gateway, new_page: Callable[..., Any]
) -> None:
    page = new_page()
    page.goto(f"{gateway.url}/sessions")
    page.get_by_text("New session").click()
    name = f"watched-{time.time_ns()}"
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/sessions/ses_*")
    session = page.url.rpartition("/")[2]
    page.get_by_text("live", exact=True).wait_for()

    url = gateway.api("GET", f"/sessions/{session}").json()["mcp_url"]

    async def work(client: Client) -> None:
        for tool in ("lark_im_v1_chat_list", "lark_wiki_v1_node_search"):
            await client.call_tool(tool, {"data": {"query": "x"}} if "wiki" in tool else {})
        done = await client.call_tool("lark_task_v2_task_create", {"data": {"summary": "Bring the lamps"}})
        assert not done.is_error

    with_client(url, work)
    page.locator(".step", has_text="task_v2_task_create").wait_for()
    assert page.locator(".step").count() == 3
    assert page.locator("[data-count=calls]").inner_text() == "3"

    row = page.locator(".step", has_text="task_v2_task_create")
    row.locator("a.call").click()
    detail = row.locator(".detail")
    detail.wait_for()
    for part in ("Arguments", "Reply", "Receipt"):
        assert detail.get_by_role("heading", name=part).is_visible()
    assert "Bring the lamps" in detail.inner_text()
    keep(page, "watched-session")

    detail.get_by_role("link", name="lark", exact=True).click()
    assert "after step 3 of 3" in page.locator(".past").inner_text()
    page.get_by_label("One step back").click()
    assert "after step 2 of 3" in page.locator(".past").inner_text()
    page.get_by_role("link", name="As tables").click()
    assert re.search(r"task\s+\d+", page.locator(".kinds").inner_text())

    page.get_by_role("button", name="Fork from here").click()
    page.wait_for_url(lambda at: "/sessions/ses_" in at and session not in at)
    assert page.locator("[data-count=step]").inner_text() == "2"

    page.goto(f"{gateway.url}/sessions/{session}/diff?from=2&to=3")
    assert "1 row differs" in page.locator("main").inner_text()
    assert "Bring the lamps" in page.locator(".change.insert").inner_text()

    page.goto(f"{gateway.url}/sessions/{session}/try?app=lark&tool=task_v2_task_create")
    page.get_by_label("summary", exact=False).first.fill("Write it up")
    page.get_by_role("button", name="Call it").click()
    page.wait_for_url("**step=4#reply")
    assert "Write it up" in page.locator("#reply").inner_text()
    assert gateway.journal(session)[-1]["arguments"] == {"data": {"summary": "Write it up"}}
    gateway.api("DELETE", f"/sessions/{session}")


@pytest.mark.parametrize(
    ("look", "width", "dark"), [("light", 1360, False), ("dark", 1360, True), ("phone", 390, False)]
)
def test_every_page_is_readable(
    gateway: Gateway, new_page: Callable[..., Any], look: str, width: int, dark: bool
) -> None:
    session = _furnished(gateway)
    call(gateway, session, "lark", "task_v2_task_create", data={"summary": "Bring the lamps"})
    call(gateway, session, "lark", "im_v1_chat_list")
    _ask(gateway, session, "tea house")
    page = new_page(width=width, dark=dark)
    for name, path in _pages(session).items():
        page.goto(gateway.url + path)
        keep(page, f"{name}-{look}")
        assert page.evaluate(_CONTRAST) == [], name
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{name} is {wider} px wider than the window"
    gateway.api("DELETE", f"/sessions/{session}")


@pytest.mark.parametrize("width", [1200, 390])
def test_the_badges_of_the_timeline_cover_no_text(gateway: Gateway, new_page: Callable[..., Any], width: int) -> None:
    session = _furnished(gateway)
    faults = {
        "rules": [{"fault": "lost_ack", "match": {"app": "lark"}}, {"fault": "server_error", "match": {"app": "slack"}}]
    }
    assert gateway.api("PUT", f"/sessions/{session}/faults", json=faults).status_code == 200
    times = {"start_time": {"timestamp": "1800000000"}, "end_time": {"timestamp": "1800003600"}}
    event = {"path": {"calendar_id": "cal_1"}, "data": {"summary": "灯" * 200, **times}}
    call(gateway, session, "lark", "calendar_v4_calendarEvent_create", **event)
    call(gateway, session, "slack", "slack_post_message", channel_id="C1", text="Hello " * 40)
    call(gateway, session, "notion", "no_such_tool_" + "of_a_long_name_" * 6)
    page = new_page(width=width)
    page.goto(f"{gateway.url}/sessions/{session}")
    assert page.locator(".mark.fault").count() == 2
    assert page.evaluate(_OVERLAPS) == []
    gateway.api("DELETE", f"/sessions/{session}")


def test_an_apps_page_scrolls_to_the_change_of_the_last_call(gateway: Gateway, new_page: Callable[..., Any]) -> None:
    session = _furnished(gateway)
    many = [
        {"channel": "C1", "ts": f"17951{n}.000100", "user": "U1", "text": f"remark {n}"} for n in range(36500, 36600)
    ]
    gateway.api("PUT", f"/sessions/{session}/state?mode=add", json={"slack": {"message": many}})
    call(
        gateway, session, "slack", "slack_add_reaction", channel_id="C1", timestamp="1795136540.000100", reaction="eyes"
    )
    for dark, width in ((False, 1200), (True, 390)):
        page = new_page(width=width, dark=dark)
        page.goto(f"{gateway.url}/sessions/{session}")
        page.get_by_role("link", name="Slack", exact=True).click()
        changed = page.locator("#changed")
        assert "remark 36540" in changed.inner_text()
        # Wait until the page has scrolled there, shortly after it is shown.
        page.wait_for_function(
            "e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight }",
            arg=changed.element_handle(),
        )
        keep(page, f"changed-{width}")
    gateway.api("DELETE", f"/sessions/{session}")


def test_hostile_content_is_not_executed(gateway: Gateway, new_page: Callable[..., Any]) -> None:
    attack = (
        "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>\"'><svg onload=window.pwned=1>"
        '{{ 7 * 7 }}</textarea></pre></title><a href="javascript:window.pwned=1">x</a><style>*{display:none}</style>'
    )
    session = _furnished(gateway, text=attack + "x" * 100_000, name=attack)
    call(gateway, session, "lark", "task_v2_task_create", data={"summary": attack, "description": attack + "y" * 2000})
    call(gateway, session, "slack", attack, **{attack: attack})
    _ask(gateway, session, attack)
    page = new_page()
    foreign: list[str] = []
    page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith(gateway.url) else None)
    page.on("dialog", lambda dialog: foreign.append(dialog.message))
    for name, path in _pages(session).items():
        response = page.goto(gateway.url + path)
        assert response.status == 200, name
        assert len(response.body()) <= 500_000, name
        assert page.evaluate("window.pwned") is None, name
        assert page.locator("script").count() == 1, name
        assert page.locator("main img, main svg:not(.sight), main style, main iframe").count() == 0, name
        assert page.locator("a[href^='javascript']").count() == 0, name
        keep(page, f"hostile-{name}")
    page.goto(f"{gateway.url}/sessions/{session}")
    page.locator(".step a.call").first.click()
    page.locator(".detail").first.wait_for()
    call(gateway, session, "slack", attack, **{attack: attack})
    page.locator(".step.new").wait_for()
    assert page.evaluate("window.pwned") is None
    assert foreign == []
    gateway.api("DELETE", f"/sessions/{session}")


def test_arrow_keys_move_through_the_timeline(gateway: Gateway, new_page: Callable[..., Any]) -> None:
    session = _furnished(gateway)
    call(gateway, session, "lark", "im_v1_chat_list")
    page = new_page()
    page.goto(f"{gateway.url}/sessions/{session}")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator(".step[data-step='1'] .detail").wait_for()
    gateway.api("DELETE", f"/sessions/{session}")


def test_an_apps_page_updates_with_each_call(gateway: Gateway, new_page: Callable[..., Any]) -> None:
    session = _furnished(gateway)
    page = new_page()
    page.goto(f"{gateway.url}/sessions/{session}/apps/slack")
    page.get_by_text("live", exact=True).wait_for()
    more = {"slack": {"message": [{"channel": "C1", "ts": "1795136999.000100", "user": "U1", "text": "Just now"}]}}
    gateway.api("PUT", f"/sessions/{session}/state?mode=add", json=more)
    page.get_by_text("Just now").wait_for()
    gateway.api("DELETE", f"/sessions/{session}")
