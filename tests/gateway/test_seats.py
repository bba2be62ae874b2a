"""Sessions that belong to a user, and seats in them: several agents in one context, each as another person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from mcp.client import Client
from structlog.testing import capture_logs

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.journal import Caller
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.problems import BadRequest, ExpiredSession, UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.share import new_seat_handle, share_of
from soundstage.servers.catalogue import load_app
from tests import built_worlds
from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.agent_requests import ask, done

PEOPLE = ("sofia_duarte", "priya_raman")


def _seat(gateway: Gateway, session_id: str, user: str) -> dict[str, Any]:
    response = gateway.api("POST", f"/sessions/{session_id}/seats", json={"user": user})
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def _text(result: Any) -> str:
    return str(result.content[0].text)


def _called(line: dict[str, Any]) -> bool:
    return line["kind"] == "call"


# -- agents ---------------------------------------------------------------------------------------------------------


async def test_two_clients_act_as_two_people_in_one_session_at_once(gateway: Gateway) -> None:
    session = gateway.session()
    seat = _seat(gateway, session["id"], "sofia_duarte")
    start, turns = asyncio.Barrier(2), 12

    async def agent(url: str, mode: str, name: str) -> list[str]:
        async with Client(url, mode=mode) as client:
            await start.wait()
            texts = []
            for turn in range(turns):
                message = {"channel_id": "#random", "text": f"{name} says {turn}"}
                texts.append(_text(await client.call_tool("slack_conversations_add_message", message)))
                primary = await client.call_tool("lark_calendar_v4_calendar_primary", {"useUAT": True})
                texts.append(json.loads(_text(primary))["calendars"][0]["user_id"])
            return texts

    own, hers = await asyncio.gather(
        agent(session["mcp_url"], "legacy", "Lin"), agent(seat["mcp_url"], "2026-07-28", "Sofia")
    )
    assert len(set(own[1::2])) == len(set(hers[1::2])) == 1
    assert own[1] != hers[1]
    lines = [line for line in gateway.journal(session["id"]) if _called(line)]
    assert len(lines) == 4 * turns
    for person, name in (("lin_yue", "Lin"), ("sofia_duarte", "Sofia")):
        posted = [line for line in lines if line["user"] == person and line["tool"] == "conversations_add_message"]
        assert [line["arguments"]["text"] for line in posted] == [f"{name} says {turn}" for turn in range(turns)]
        authors = {c["after"]["user"] for line in posted for c in line["changes"] if c["entity"] == "message"}
        assert len(authors) == 1
    listed = gateway.api("GET", f"/sessions/{session['id']}/state?app=slack&entity=message").json()
    messages = [m for m in listed["slack"]["message"] if m["text"].startswith(("Lin says ", "Sofia says "))]
    assert len(messages) == 2 * turns
    assert len({m["user"] for m in messages}) == 2


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_direct_message_is_visible_to_its_recipient_only(gateway: Gateway, mode: str) -> None:
    session = gateway.session()
    seats = {user: _seat(gateway, session["id"], user) for user in PEOPLE}
    users = gateway.api("GET", f"/sessions/{session['id']}/state?app=slack&entity=user").json()["slack"]["user"]
    priya = next(u["id"] for u in users if u["real_name"] == "Priya Raman")
    unread = {}
    async with Client(session["mcp_url"], mode=mode) as lin:
        await lin.call_tool("slack_conversations_add_message", {"channel_id": priya, "text": "the quince is ripe"})
        for user, seat in seats.items():
            async with Client(seat["mcp_url"], mode=mode) as client:
                unread[user] = _text(await client.call_tool("slack_conversations_unreads", {"channel_types": "dm"}))
    assert "quince" in unread["priya_raman"]
    assert "quince" not in unread["sofia_duarte"]


async def test_a_seat_shows_the_apps_in_which_its_person_has_an_account(gateway: Gateway) -> None:
    session = gateway.session()
    outsiders = gateway.api("POST", f"/sessions/{session['id']}/seats", json={"user": "nobody_at_all"})
    assert outsiders.status_code == 400
    people = outsiders.json()["error"]
    assert "sofia_duarte" in people
    met_on_rednote = next(iter(_people_of_one_app(gateway, "xiaohongshu")))
    seat = _seat(gateway, session["id"], met_on_rednote)
    assert list(seat["apps"]) == ["xiaohongshu"]
    async with Client(seat["mcp_url"]) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert not [name for name in names if name.startswith(("lark", "slack", "notion"))]
    refused = httpx2.post(seat["mcp_url"].replace("/mcp", "/lark/mcp"), json={})
    assert refused.status_code == 404


def _people_of_one_app(gateway: Gateway, app: str) -> list[str]:
    import apsw

    (image,) = (gateway.data / "worlds").glob("studio-*.db")
    connection = apsw.Connection(str(image), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "SELECT person FROM _account GROUP BY person HAVING count(*) = 1 AND max(app) = ? ORDER BY person", (app,)
    )
    return [str(person) for (person,) in rows]


def test_a_seats_handle_opens_only_the_agents_plane(gateway: Gateway) -> None:
    session = gateway.session()
    seat = _seat(gateway, session["id"], "sofia_duarte")
    assert done(ask(gateway.url, seat["handle"]))
    for path in ("/sessions", f"/sessions/{session['id']}", f"/sessions/{session['id']}/seats"):
        shown = httpx2.get(f"{gateway.url}/api{path}", headers={"Authorization": f"Bearer {seat['handle']}"})
        assert shown.status_code == 401, path
    assert gateway.api("GET", f"/sessions/{seat['handle']}").status_code == 404


def test_seats_survive_a_reset_and_a_fork_gets_new_ones(gateway: Gateway) -> None:
    session = gateway.session()
    seats = [_seat(gateway, session["id"], user) for user in PEOPLE]
    handles = [seat["handle"] for seat in seats]
    assert gateway.api("GET", f"/sessions/{session['id']}/seats").json() == seats
    fork = gateway.api("POST", f"/sessions/{session['id']}/fork").json()
    forked = gateway.api("GET", f"/sessions/{fork['id']}/seats").json()
    assert [seat["user"] for seat in forked] == list(PEOPLE)
    assert not {seat["handle"] for seat in forked} & set(handles)
    assert done(ask(gateway.url, forked[0]["handle"]))
    assert [line["user"] for line in gateway.journal(fork["id"])] == ["sofia_duarte"]
    assert gateway.journal(session["id"]) == []
    assert done(ask(gateway.url, handles[1]))
    assert gateway.api("POST", f"/sessions/{session['id']}/reset").status_code == 200
    assert [seat["handle"] for seat in gateway.api("GET", f"/sessions/{session['id']}/seats").json()] == handles
    assert done(ask(gateway.url, handles[0]))
    gateway.api("DELETE", f"/sessions/{session['id']}")
    assert ask(gateway.url, handles[0]).status_code == 404
    assert done(ask(gateway.url, forked[1]["handle"]))


def test_a_session_can_belong_to_another_person_of_its_world(gateway: Gateway) -> None:
    session = gateway.session(user="priya_raman")
    assert session["user"] == "priya_raman"
    called = {"app": "lark", "tool": "calendar_v4_calendar_primary", "arguments": {"useUAT": True}}
    shown = gateway.api("POST", f"/sessions/{session['id']}/calls", json=called).json()["reply"]
    people = gateway.api("GET", f"/sessions/{session['id']}/state?app=lark&entity=user").json()["lark"]["user"]
    priya = next(p["open_id"] for p in people if p["name"] == "Priya Raman")
    assert json.loads(shown["content"][0]["text"])["calendars"][0]["user_id"] == priya
    assert [line["user"] for line in gateway.journal(session["id"])] == ["priya_raman"]
    own = gateway.session()
    assert own["user"] == "lin_yue"
    assert gateway.session(world="empty")["user"] is None


def test_naming_the_worlds_own_user_has_no_effect(gateway: Gateway) -> None:
    apps = ["lark", "playwright", "tushare"]
    named, unnamed = gateway.session(user="lin_yue", apps=apps), gateway.session(apps=apps)
    assert (named["user"], sorted(named["apps"])) == (unnamed["user"], sorted(unnamed["apps"])) == ("lin_yue", apps)
    called = {"app": "tushare", "tool": "check_token_status", "arguments": {}}
    assert "token" in gateway.api("POST", f"/sessions/{named['id']}/calls", json=called).text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"user": "nobody"}, "there are: "),
        ({"user": "lin_yue", "world": "empty"}, "has no people"),
        (
            {"user": "lei_hao", "world": "campus", "apps": ["lark", "slack"]},
            "no account in slack, only in: discord, email_163, gmail, lark, obsidian, reddit, telegram, xiaohongshu",
        ),
    ],
)
def test_a_session_for_an_unknown_user_is_refused(gateway: Gateway, body: dict[str, Any], message: str) -> None:
    before = gateway.api("GET", "/sessions").json()["total"]
    refused = gateway.api("POST", "/sessions", json={"durability": "memory", **body})
    assert refused.status_code == 400
    assert message in refused.json()["error"]
    assert gateway.api("GET", "/sessions").json()["total"] == before


@pytest.mark.long
def test_a_restarted_gateway_knows_its_seats(tmp_path: Path) -> None:
    first = start_gateway(tmp_path / "data")
    try:
        session = first.session(durability="durable", user="priya_raman")
        seat = _seat(first, session["id"], "sofia_duarte")
    finally:
        stop_gateway(first)
    second = start_gateway(tmp_path / "data")
    try:
        assert done(ask(second.url, seat["handle"]))
        assert done(ask(second.url, session["handle"]))
        assert [line["user"] for line in second.journal(session["id"])] == ["sofia_duarte", "priya_raman"]
    finally:
        stop_gateway(second)


# -- sessions in this process ---------------------------------------------------------------------------------------


@pytest_asyncio.fixture
async def sessions(tmp_path: Path) -> AsyncIterator[Sessions]:
    started = Sessions(Settings(data=tmp_path, built=built_worlds.folder(), max_open=2))
    await started.start()
    yield started
    await started.stop()


async def test_a_seat_opens_its_session_after_that_was_closed(sessions: Sessions) -> None:
    session = await sessions.create(NewSession())
    seat = await sessions.add_seat(session, "sofia_duarte")
    for _ in range(4):
        await sessions.create(NewSession(world="empty"))
    assert sessions.live(session.record.handle) is sessions.live(seat.handle) is None
    session_again = await sessions.by_handle(seat.handle)
    assert session_again.id == session.id
    assert session_again.seat(seat.handle) == seat
    assert session_again.seat(session_again.record.handle) is None
    assert sessions.live(seat.handle) is session_again


async def test_an_expired_session_has_no_seats(sessions: Sessions) -> None:
    session = await sessions.create(NewSession(ttl_s=5))
    seat = await sessions.add_seat(session, "sofia_duarte")
    await asyncio.sleep(5)
    with pytest.raises(ExpiredSession):
        await sessions.by_handle(seat.handle)
    await sessions.remove_expired(keep_s=0)
    with pytest.raises(UnknownSession):
        await sessions.by_handle(seat.handle)


async def test_no_log_line_shows_a_seats_handle(sessions: Sessions) -> None:
    with capture_logs() as logs:
        session = await sessions.create(NewSession())
        seat = await sessions.add_seat(session, "sofia_duarte")
        dispatch(session, load_app("slack"), "channels_me", {}, caller=Caller("sofia_duarte"))
        with pytest.raises(BadRequest):
            await sessions.add_seat(session, "nobody")
    assert seat.handle not in json.dumps(logs)
    assert seat.handle not in repr(seat)
    assert seat.handle not in repr(session)


@pytest.mark.parametrize("workers", range(1, 9))
def test_a_seats_handle_maps_to_the_worker_of_its_session(workers: int) -> None:
    for handle in ("default", "a-name", "Zx3-_9aQ", "0f3a", "0f3a.b"):
        for _ in range(20):
            assert share_of(new_seat_handle(handle), workers) == share_of(handle, workers)


async def test_a_journal_of_several_people_replays_to_the_same_bytes(
    sessions: Sessions, new_session: Callable[..., Session]
) -> None:
    session = await sessions.create(NewSession(seed=4))
    slack, lark = load_app("slack"), load_app("lark")
    for turn, user in enumerate([None, *PEOPLE, None, *reversed(PEOPLE)]):
        caller = Caller(user)
        dispatch(
            session, slack, "conversations_add_message", {"channel_id": "#random", "text": f"{turn}"}, caller=caller
        )
        task = {"data": {"summary": f"of {user}"}, "useUAT": True}
        dispatch(session, lark, "task_v2_task_create", task, caller=caller)
        dispatch(session, slack, "conversations_unreads", {}, caller=caller)
    fork = await sessions.fork(session, step=7)
    rows = list(journal.read(session.context))
    again = new_session(world="studio", seed=4)
    assert replay(sessions, rows, again) == []
    assert digest(again.context) == digest(session.context)
    assert [row.caller for row in journal.read(again.context)] == [row.caller for row in rows]
    assert replay(sessions, rows[7:], fork) == []
    assert digest(fork.context) == digest(session.context)
