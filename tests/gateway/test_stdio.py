"""`soundstage stdio` from its first message on: replies without the MCP SDK equal those of the SDK."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soundstage.gateway.calls.call import Toolset
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.gateway.mcp.handshake import Handshake
from soundstage.gateway.mcp.stdio import serve_stdio
from soundstage.gateway.registry.records import NEUTRAL
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import app_names
from tests.conftest import clean_environment, soundstage_command

READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}


def hello(**changed: Any) -> dict[str, Any]:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "desk", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {**params, **changed}}


def opened(session: Session, toolset: Toolset, *messages: Any) -> list[Any]:
    """Return the replies before the SDK is loaded."""
    opening = Handshake(session.record.server, toolset, session)
    answers: list[Any] = []
    for message in messages:
        if not opening.is_over and (answer := opening.answer(json.dumps(message) + "\n")):
            answers.append(json.loads(answer))
    return answers


def of_the_sdk(session: Session, toolset: Toolset, tmp_path: Path, *messages: Any, due: int) -> list[Any]:
    """Return the SDK's replies to the same messages, once `due` of them have arrived."""
    answers: list[Any] = []
    enough = asyncio.Event()

    class Client:
        async def __aiter__(self) -> AsyncIterator[str]:
            for message in messages:
                yield json.dumps(message) + "\n"
            await enough.wait()

        async def write(self, line: str) -> None:
            answers.append(json.loads(line))
            if len(answers) == due:
                enough.set()

        async def flush(self) -> None: ...

    async def find(handle: str) -> Session:
        return session

    async def dialogue() -> None:
        client = cast("anyio.AsyncFile[str]", Client())
        with anyio.fail_after(60):
            await serve_stdio(session, find, toolset, CallService(ToolFinder(tmp_path)), client, client)

    asyncio.run(dialogue())
    return answers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stdio")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
@pytest.mark.parametrize(
    "toolset", [shared_toolset(app_names()), shared_toolset(app_names(), "search"), app_toolset("lark")]
)
def test_the_first_messages_are_answered_as_the_sdk_answers_them(
    toolset: Toolset, revision: str, new_session: Callable[..., Session], folder: Path
) -> None:
    session = new_session(world="empty")
    messages = (hello(protocolVersion=revision), READY, LIST)
    answered = opened(session, toolset, *messages)
    assert len(answered) == 2
    assert answered == of_the_sdk(session, toolset, folder, *messages, due=2)


_TEXT = st.sampled_from(["", "desk", "桌"])
_ODD = st.sampled_from([None, 7, [], {}, {"listChanged": True}, {"listChanged": "yes"}, {"form": {}}, True])
_CAPABILITIES = st.dictionaries(
    st.sampled_from(["roots", "sampling", "elicitation", "tasks", "experimental"]), _ODD, max_size=2
)
_CLIENTS = st.dictionaries(st.sampled_from(["name", "version", "title", "icons", "x"]), _TEXT | _ODD, max_size=4)
_REVISIONS = st.sampled_from(["2025-11-25", "2024-11-05", "2026-07-28", "1.0", 1])
_CHANGED = st.one_of(
    st.just({}),
    st.tuples(st.just("protocolVersion"), _REVISIONS).map(lambda pair: dict([pair])),
    st.tuples(st.just("capabilities"), _CAPABILITIES | _ODD).map(lambda pair: dict([pair])),
    st.tuples(st.just("clientInfo"), _CLIENTS | _ODD).map(lambda pair: dict([pair])),
    st.tuples(st.just("_meta"), _ODD).map(lambda pair: dict([pair])),
)
_HELLOS = st.builds(
    lambda changed, extra: hello(**changed) | extra,
    _CHANGED,
    st.sampled_from([{}, {}, {"id": "one"}, {"id": ""}, {"id": -5}])
    | st.sampled_from([{"id": 1.5}, {"id": True}, {"id": None}, {"jsonrpc": "1.0"}, {"x": 1}, {"params": {}}]),
)


def test_any_first_message_is_answered_as_by_the_sdk(new_session: Callable[..., Session], folder: Path) -> None:
    session, toolset = new_session(world="empty"), shared_toolset(app_names(), "search")
    counted = {"answered": 0}

    @settings(max_examples=150, deadline=None, database=None)
    @given(_HELLOS)
    def alike(message: Any) -> None:
        if answers := opened(session, toolset, message):
            counted["answered"] += 1
            assert answers == of_the_sdk(session, toolset, folder, message, due=1)

    alike()
    assert counted["answered"] > 10, "the plain ones are among them"


@pytest.mark.parametrize(
    "messages",
    [
        [LIST],
        [hello(), LIST],
        [hello(), READY, {**LIST, "params": {"cursor": "x"}}],
        [hello(), READY, {"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        [hello(), hello()],
        ["no request"],
        [[hello()]],
    ],
)
def test_the_sdk_takes_over_at_any_other_message_and_gets_all_of_them(messages: list[Any]) -> None:
    opening = Handshake(NEUTRAL, shared_toolset(app_names()), None)
    lines = [json.dumps(message) + "\n" for message in messages]
    for line in lines:
        assert not opening.is_over
        opening.answer(line)
    assert opening.is_over
    assert opening.lines_for_sdk == lines


def _stdio(data: Path, **environment: str) -> subprocess.Popen[str]:
    command = [*soundstage_command(), "stdio", "--session", "desk", "--world", "empty", "--data", str(data)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**clean_environment(), **environment},
    )  # fmt: skip


@pytest.mark.long
def test_a_dialogue_continues_when_the_sdk_takes_over(tmp_path: Path) -> None:
    call = {"name": "lark_im_v1_chat_list", "arguments": {}}
    dialogue = [hello(), READY, LIST, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
                {"jsonrpc": "2.0", "id": 0, "method": "ping"}]  # fmt: skip
    replies: dict[str, list[Any]] = {}
    for plain in ("on", "off"):
        with _stdio(tmp_path / plain, SOUNDSTAGE_PLAIN=plain) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            replies[plain] = []
            for message in dialogue:
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()
                if "id" in message:
                    replies[plain].append(json.loads(process.stdout.readline()))
            process.stdin.close()
            assert process.wait(60) == 0
            assert process.stdout.read() == ""
    assert [t["id"] for t in replies["on"]] == [0, "list", 2, 0]
    assert replies["on"] == replies["off"]


@pytest.mark.parametrize("sent", [pytest.param("", marks=pytest.mark.long), json.dumps(hello()) + "\n"])
def test_a_silent_or_short_lived_client_still_gets_a_session(sent: str, tmp_path: Path) -> None:
    with _stdio(tmp_path) as process:
        process.communicate(sent, timeout=60)
    assert process.returncode == 0
    assert len(list((tmp_path / "sessions").glob("ses_*.db"))) == 1
