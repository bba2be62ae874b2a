"""Discord in the shipped worlds: ids hold creation times, and roles determine the bot's permissions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from soundstage.contexts.engine.app_context import AppContext
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.discord.rules.snowflakes import created_at
from soundstage.servers.catalogue import load_app

WORLDS = ("studio", "campus")


def _reply_text(session: Session, tool: str, **arguments: Any) -> str:
    made = dispatch(session, load_app("discord"), tool, arguments)
    assert made.reply is not None
    return str(made.reply["content"][0]["text"])


def _channel(discord: AppContext, name: str) -> str:
    channel = discord.first("channel", {"name": name})
    assert channel is not None
    return str(channel["id"])


@pytest.mark.parametrize("world", WORLDS)
def test_a_messages_id_holds_its_time(new_session: Callable[..., Session], world: str) -> None:
    discord = new_session(world=world).context.app("discord")
    messages = discord.list("message")
    assert len(messages) > 40
    for message in messages:
        assert created_at(message["id"]) == datetime.fromisoformat(message["timestamp"]).isoformat()
    assert len({m["id"] for m in messages}) == len(messages)


@pytest.mark.parametrize("world", WORLDS)
def test_no_message_precedes_its_server(new_session: Callable[..., Session], world: str) -> None:
    discord = new_session(world=world).context.app("discord")
    made = {c["id"]: int(c["id"]) for c in discord.list("channel")}
    guild = discord.first("guild")
    assert guild is not None
    assert all(int(m["id"]) > made[m["channel_id"]] > int(guild["id"]) for m in discord.list("message"))
    joined = {m["user_id"]: m["joined_at"] for m in discord.list("member")}
    assert all(joined[m["author_id"]] <= m["timestamp"] for m in discord.list("message"))


def test_the_studios_bot_has_limited_permissions(new_session: Callable[..., Session]) -> None:
    session = new_session(world="studio")
    discord = session.context.app("discord")
    guild = discord.first("guild")
    assert guild is not None
    roles = {r["name"]: r["id"] for r in discord.list("role")}
    ama = discord.first("user", {"username": "ama_upstage"})
    assert ama is not None
    place = {"server_id": guild["id"], "user_id": ama["id"]}
    assert (
        _reply_text(session, "add_role", **place, role_id=roles["Beta 3.0"])
        == "Added role Beta 3.0 to user ama_upstage"
    )
    assert "50013" in _reply_text(session, "add_role", **place, role_id=roles["Moderator"])
    assert "50001" in _reply_text(session, "read_messages", channel_id=_channel(discord, "mods"))
    assert "50013" in _reply_text(
        session, "send_message", channel_id=_channel(discord, "announcements"), content="Soon!"
    )
    assert "Case 4471" in _reply_text(session, "read_messages", channel_id=_channel(discord, "help"), limit=1)
    assert "50074" in _reply_text(session, "delete_channel", channel_id=_channel(discord, "rules"))
