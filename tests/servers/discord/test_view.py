"""The page of Discord: servers, channels by category, messages with markup, and members by role."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from soundstage.servers.discord.view.markdown import Names, pieces
from soundstage.servers.view import load_view
from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_G, _CAT, _DOCK, _LOFT, _THREAD, _DIRECT = (f"10410000000000001{n:02}" for n in range(6))
_BOT, _ANA, _BO = "1041000000000000500", "410000000000000001", "410000000000000002"
_MATE, _RED = "1041000000000000201", "1041000000000000301"
_HOSTILE = '<script>alert("x")</script>'


def _state(name: str = "Ana") -> dict[str, Any]:
    text = f"**Bold** and {_HOSTILE}, <@{_BO}> <@&{_MATE}> <#{_LOFT}> <:buoy:{_RED}> @everyone `code`"
    return {
        "bot": [{"user_id": _BOT}],
        "guild": [
            {"id": _G, "name": "Tide Pool", "owner_id": _ANA, "description": "Boats & tides"},
            {"id": "1041000000000000900", "name": _HOSTILE},
        ],
        "role": [
            {"id": _G, "guild_id": _G, "name": "@everyone", "position": 0, "permissions": str(1 << 3)},
            {"id": _MATE, "guild_id": _G, "name": "Mates", "position": 3, "hoist": True, "permissions": "0"},
        ],
        "user": [
            {"id": _BOT, "username": "buoy", "bot": True},
            {"id": _ANA, "username": "ana", "global_name": name},
            {"id": _BO, "username": "bo"},
        ],
        "member": [
            {"guild_id": _G, "user_id": _BOT, "roles": []},
            {"guild_id": _G, "user_id": _ANA, "roles": [_MATE]},
            {"guild_id": _G, "user_id": _BO, "roles": [], "nick": "Bosun"},
        ],
        "channel": [
            {"id": _CAT, "guild_id": _G, "type": 4, "name": "Harbour", "position": 1},
            {"id": _DOCK, "guild_id": _G, "type": 0, "name": "dock", "topic": "Moorings", "position": 1},
            {"id": _LOFT, "guild_id": _G, "type": 2, "name": "Sail loft", "parent_id": _CAT},
            {"id": _THREAD, "guild_id": _G, "type": 11, "name": "winches", "parent_id": _DOCK},
            {"id": _DIRECT, "type": 1},
        ],
        "message": [
            {"id": str(1_480_000_000_000_000_000 + i * 10**12), "channel_id": _DOCK, "author_id": _BO, "content": f"log {i}"}
            for i in range(100)
        ]
        + [
            {
                "id": "1490000000000000000", "channel_id": _DOCK, "author_id": _ANA, "content": text, "pinned": True,
                "edited_timestamp": "2026-04-05T00:00:00+00:00",
                "reactions": [{"count": 3, "me": True, "emoji": {"id": _RED, "name": "buoy_red"}}],
            },
            {"id": "no number", "channel_id": _DOCK, "author_id": "gone", "content": "adrift"},
        ],
    }  # fmt: skip


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["discord"])["id"]
    put = gateway.api("PUT", f"/sessions/{made}/state", json={"discord": _state()})
    assert put.status_code == 200, put.text
    return made


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/discord", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def _words(page: str) -> str:
    return re.sub(r"<[^>]*>|\s+", " ", page)


def test_a_server_shows_its_channels_its_newest_messages_and_its_people(gateway: Gateway, session: str) -> None:
    page = _page(gateway, session)
    assert _HOSTILE not in page
    words = re.sub(r" +", " ", _words(page))
    assert "Tide Pool" in words
    assert words.index("dock") < words.index("winches") < words.index("Harbour") < words.index("Sail loft")
    assert "Direct messages" in words
    assert "log 99" in words
    assert "log 38 " not in words
    assert "Earlier messages" in words
    assert "Mates — 1 Ana Members — 2 Bosun buoy APP" in words
    for mark in ("(edited)", "📌 pinned", ":buoy_red: 3", "@Bosun", "@Mates", "#Sail loft", ":buoy:", "@everyone"):
        assert mark in words, mark
    assert '<span class="is-bold">Bold</span>' in page


def test_a_page_opens_at_what_the_bot_did(gateway: Gateway, session: str) -> None:
    call(gateway, session, "discord", "add_reaction", channel_id=_DOCK, message_id="1480003000000000000", emoji="⚓")
    page = _page(gateway, session)
    assert "log 3 " in _words(page)
    assert "log 99" not in page
    assert page.count('id="changed"') == 1
    assert "⚓ 1" in _words(page.partition('id="changed"')[2])[:200]


def test_links_lead_to_another_server_and_a_thread(gateway: Gateway, session: str) -> None:
    assert "Boats" not in _page(gateway, session, guild="1041000000000000900")
    assert "No messages yet" in _page(gateway, session, channel=_THREAD)
    for strange in ({"channel": "nobody"}, {"guild": "x"}, {"channel": _DOCK, "before": "x"}, {"message": "٣"}):
        assert "class=" in _page(gateway, session, **strange)


def test_every_object_on_the_page_has_a_link() -> None:
    view = load_view("discord")
    assert view is not None
    nowhere: Any = None
    assert view.place(nowhere, "message", {"id": "1", "channel_id": "2"}) == {"channel": "2", "message": "1"}
    assert view.place(nowhere, "channel", {"id": "2"}) == {"channel": "2"}
    assert view.place(nowhere, "member", {"guild_id": "3", "user_id": "1"}) == {"guild": "3"}
    assert view.place(nowhere, "guild", {"id": "3"}) == {"guild": "3"}
    assert view.place(nowhere, "audit_log_entry", {"id": "4", "guild_id": "3"}) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", [("text", "plain")]),
        ("*a* _b_ __c__ ~~d~~ ||e||", [("italic", "a"), ("text", " "), ("italic", "b"), ("text", " "), ("underline", "c"),
                                       ("text", " "), ("strike", "d"), ("text", " "), ("spoiler", "e")]),
        ("```py\nx = 1\n```", [("block", "x = 1\n")]),
        ("> said\nso", [("quote", "said"), ("text", "\nso")]),
        ("see https://tides.example/a.", [("text", "see "), ("link", "https://tides.example/a.")]),
        ("<@!9> <@&9> <#9> <x>", [("mention", "@unknown-user"), ("text", " "), ("mention", "@unknown-role"), ("text", " "),
                                  ("mention", "#unknown"), ("text", " "), ("text", "<x>")]),
        ("snake_case_name 2 * 3 * 4", [("text", "snake_case_name 2 * 3 * 4")]),
    ],
)  # fmt: skip
def test_markdown_reads_as_in_discord(text: str, shown: list[tuple[str, str]]) -> None:
    assert pieces(text, Names({}, {}, {})) == shown
