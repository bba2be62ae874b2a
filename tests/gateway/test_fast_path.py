"""Simple requests take a fast path past the SDK, and replies are the same on both paths."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.types import Message

from soundstage.gateway.app import build_app
from soundstage.gateway.delivery import BREAK_OFF
from soundstage.gateway.mcp import fast_path
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import app_names, load_app
from tests import built_worlds
from tests.conftest import Gateway
from tests.gateway.agent_requests import ENVELOPE
from tests.gateway.faults.small_state import READS, SMALL_STATE, WRITES

MODERN, BEFORE = "2026-07-28", "2025-11-25"
SESSIONS: dict[str, dict[str, Any]] = {
    "calm": {},
    "search": {"tools": "search", "server": {"name": "Bürö", "version": "2", "instructions": "Hm."}},
    "stormy": {"faults": {"rules": [{"when": {"probability": 0.2}, **rule} for rule in (
        *({"fault": f} for f in ("rate_limit", "server_error", "unavailable", "lost_ack", "connection_drop", "stale_read")),
        *({"fault": f} for f in ("truncate", "corrupt", "tool_vanished", "tool_renamed")),
        {"fault": "new_constraint", "wish": "Bitte kürzer."})]}},
}  # fmt: skip


@dataclass(frozen=True)
class SentRequest:
    """A request as it is sent. `session` and `app` select the address."""

    session: str
    app: str | None
    headers: tuple[tuple[str, str], ...]
    body: bytes
    method: str = "POST"


@dataclass
class Answered:
    """The complete response: status, headers as sent, and the body, or None if it was never sent."""

    status: int | None = None
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes | None = None


@dataclass
class Way:
    """A gateway in this process, and the handles of its sessions."""

    app: Starlette
    handles: dict[str, str]

    async def ask(self, request: SentRequest) -> Answered:
        app = "" if request.app is None else f"/{request.app}"
        return await send(self.app, f"/s/{self.handles[request.session]}{app}/mcp", request)

    async def journal(self, session: str) -> list[dict[str, Any]]:
        answered = await send(self.app, f"/api/sessions/{session}/journal", SentRequest(session, None, (), b"", "GET"))
        lines = [json.loads(line) for line in (answered.body or b"").splitlines()]
        return [{k: v for k, v in line.items() if k != "duration_us"} for line in lines]


async def send(app: Starlette, path: str, request: SentRequest) -> Answered:
    answered, broken_off = Answered(), asyncio.Event()
    come: list[Message] = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> Message:
        if come:
            return come.pop()
        await broken_off.wait()
        return {"type": "http.disconnect"}

    async def take(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered.status, answered.headers = message["status"], list(message["headers"])
        else:
            answered.body = (answered.body or b"") + message.get("body", b"")

    headers = [(b"host", b"localhost:8700"), *((n.lower().encode(), v.encode()) for n, v in request.headers)]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": request.method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http", "headers": headers,
        "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 8700), "state": {},
        "extensions": {BREAK_OFF: {"close": broken_off.set}},
    }  # fmt: skip
    async with asyncio.timeout(60):
        await app(scope, receive, take)
    return answered


Run = Callable[[Callable[[Way, Way], Coroutine[Any, Any, None]]], None]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a function with two gateways that differ in one setting: only the first has the fast path."""
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        over = asyncio.Event()
        serving = []

        async def serve(app: Starlette, ready: asyncio.Event) -> None:
            async with app.router.lifespan_context(app):
                ready.set()
                await over.wait()

        async def start(plain: str) -> Way:
            patch.setenv("SOUNDSTAGE_PLAIN", plain)
            built_worlds.link_into(data := tmp_path_factory.mktemp("data"))
            app = build_app(Settings(data=data))
            ready, handles = asyncio.Event(), {}
            serving.append(asyncio.create_task(serve(app, ready)))
            await ready.wait()
            for name, more in SESSIONS.items():
                wanted = {"name": name, "world": "empty", "seed": 7, "durability": "memory", **more}
                sent = SentRequest(name, None, (("Content-Type", "application/json"),), json.dumps(wanted).encode())
                made = await send(app, "/api/sessions", sent)
                assert made.status == 201, made.body
                handles[name] = json.loads(made.body or b"")["handle"]
                state = SentRequest(name, None, sent.headers, json.dumps(SMALL_STATE).encode(), "PUT")
                assert (await send(app, f"/api/sessions/{name}/state", state)).status == 200
            return Way(app, handles)

        async def end() -> None:
            over.set()
            await asyncio.gather(*serving)

        first, second = (runner.run(start(plain)) for plain in ("on", "off"))

        def run(work: Callable[[Way, Way], Coroutine[Any, Any, None]]) -> None:
            runner.run(work(first, second))

        yield run
        runner.run(end())


# -- requests ---------------------------------------------------------------------------------------------------------

OWN = [(app, name, arguments) for calls in (READS, WRITES) for app, (name, arguments) in calls.items()]
CALLS = [(load_app(app).prefixed(name), arguments) for app, name, arguments in OWN]
_texts = st.text(max_size=12) | st.sampled_from(["", "é", "会议", "\u2028", '"tools":[]', "=?base64?eA==?=", "\x00"])
_numbers = st.integers() | st.floats() | st.sampled_from([2**53, 2**64, -(2**63), 10**308, 10**309, 1e16, -0.0])
_values = st.recursive(
    st.none() | st.booleans() | _numbers | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=5,
)
_names = st.sampled_from([
    *(name for name, _ in CALLS), "search_tools", "call_tool", "describe_tool", "slack_post_message_v2", "nobody", "", "größe",
    "=?x",
])  # fmt: skip
_arguments = st.sampled_from([arguments for _, arguments in CALLS]) | st.dictionaries(_texts, _values, max_size=3)


PARTS = ["method", "params", "envelope", "id", "message", "body", "headers", "how", "version"]
_ODD_MEMBERS = [
    {"arguments": None}, {"arguments": []}, {"arguments": "x"}, {"name": 3}, {"name": None}, {"more": 1}, {"inputResponses": {}},
    {"task": {}}, {"_meta": {}}, {"_meta": None}, {"_meta": {"progressToken": 4}}, {"cursor": "x"}, {"cursor": 3},
]  # fmt: skip
_ODD_META = [
    {},
    {"name": "x"},
    {"elicitation": {"form": {}}},
    {"name": "x", "version": "é", "title": "z"},
    MODERN,
    BEFORE,
]
_ODD_HEADERS = [
    "",
    "*/*",
    "text/plain",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/*;q=0.1",
    "tools/list",
]
_MORE_HEADERS = [
    ("Mcp-Session-Id", "x"), ("Last-Event-Id", "x"), ("Mcp-Param-X", "1"), ("Authorization", "Bearer x"),
    ("Origin", "http://evil.example"), ("Origin", "http://localhost:3000"), ("Host", "two.example"),
]  # fmt: skip


@st.composite
def _requests(draw: st.DrawFn) -> SentRequest:
    """Draws simple requests, and requests that differ from those in one or two parts."""
    odd = draw(st.just(()) | st.lists(st.sampled_from(PARTS), max_size=2))
    version = draw(st.sampled_from([MODERN, BEFORE]))
    if "version" in odd:
        version = draw(st.sampled_from(["2025-06-18", "2024-11-05", "2031-01-01", "", None]))
    method = draw(st.sampled_from(["tools/call"] * 4 + ["tools/list", "ping"]))
    if "method" in odd:
        method = draw(st.sampled_from(["initialize", "foo", "", "prompts/list"]))
    params: Any = {}
    if method == "tools/call":
        name, arguments = draw(st.sampled_from([*CALLS, *(o[1:] for o in OWN)]) | st.tuples(_names, _arguments))
        params = {"name": name, "arguments": arguments}
    if "params" in odd:
        params |= draw(st.sampled_from(_ODD_MEMBERS))
    if version == MODERN:
        params = {"_meta": dict(ENVELOPE), **params}
    if "envelope" in odd:
        key = draw(st.sampled_from([*ENVELOPE, "progressToken", "traceparent"]))
        params = {**params, "_meta": {**ENVELOPE, key: draw(_values | st.sampled_from(_ODD_META))}}
    request_id = draw(_values if "id" in odd else st.integers(-5, 2**53 - 1) | _texts)
    message: Any = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    if not params and draw(st.booleans()):
        del message["params"]
    if "message" in odd:
        change = draw(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "list"]))
        message = [message] if change == "list" else {**message, change: draw(_values)}
        if draw(st.booleans()) and change in message:
            del message[change]
    body = json.dumps(message, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    if "body" in odd:
        body = draw(st.sampled_from(_odd_bodies(body, draw(st.integers(0, len(body))))))
    headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
    headers += [] if version is None else [("MCP-Protocol-Version", version)]
    if version == MODERN or draw(st.booleans()):
        headers += [("Mcp-Method", method)]
        if isinstance(params.get("name"), str):
            headers += [("Mcp-Name", params["name"])]
    if "headers" in odd:
        at = draw(st.integers(0, len(headers) - 1))
        name, value = headers.pop(at)
        match draw(st.sampled_from(["drop", "twice", "other", "more"])):
            case "twice":
                headers[at:at] = [(name, value), (name, draw(st.sampled_from([value, "x"])))]
            case "other":
                headers.insert(at, (name, draw(st.sampled_from(_ODD_HEADERS))))
            case "more":
                headers += [(name, value), draw(st.sampled_from(_MORE_HEADERS))]
    app = draw(st.sampled_from([None, None, *app_names(), *(["slak"] if "how" in odd else [])]))
    how = draw(st.sampled_from(["PUT", "DELETE"])) if "how" in odd else "POST"
    return SentRequest(draw(st.sampled_from(list(SESSIONS))), app, tuple(headers), body, how)


def _odd_bodies(body: bytes, at: int) -> list[bytes]:
    return [
        body[:at], body[:at] + b"\xff" + body[at:], b"\xef\xbb\xbf" + body, body + b" \n", body + b"{}",
        b"[" * 3000 + b"]" * 3000,
        body.replace(b'"id"', b'"id": 7, "id"', 1), body.replace(b'"name"', b'"name": "x", "name"', 1),
        body.replace(b"{}", b'{"a": NaN, "b": -0, "c": 1e400, "d": 123456789012345678901234567890}', 1),
        body.replace(b'"arguments": {', b'"arguments": {"a": -0, "b": 1e400, "c": 1E2, "d": 99999999999999999999, ', 1),
        body.replace(b'"arguments": {', b'"arguments": {"e": "\\ud800", "e": "\\ud83d\\ude00", ', 1),
        body.decode(errors="replace").encode("utf-16"),
    ]  # fmt: skip


def plain_call(
    version: str = MODERN,
    session: str = "calm",
    *,
    name: str = "slack_post_message",
    arguments: Any = None,
    **more: Any,
) -> SentRequest:
    """Return a request as clients send it. `more` contains further members of its message."""
    given = WRITES["slack"][1] if arguments is None else arguments
    params = {"name": name, "arguments": given} | ({"_meta": ENVELOPE} if version == MODERN else {})
    message = {"jsonrpc": "2.0", "id": "é", "method": "tools/call", "params": params, **more}
    headers = [("Content-Type", "application/json"), ("Accept", "application/json"), ("MCP-Protocol-Version", version)]
    if version == MODERN:
        headers += [("Mcp-Method", message["method"])]
        headers += [("Mcp-Name", name)] if message["method"] == "tools/call" else []
    return SentRequest(session, None, tuple(headers), json.dumps(message).encode())


# -- tests ------------------------------------------------------------------------------------------------------------


def _compare(both: Run, requests: list[SentRequest]) -> None:
    async def compare(plain: Way, through_the_sdk: Way) -> None:
        for request in requests:
            assert await plain.ask(request) == await through_the_sdk.ask(request), request

    both(compare)


_examples = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=100, **_examples)
@given(st.lists(_requests(), min_size=1, max_size=3))
def test_both_paths_return_the_same_responses(both: Run, requests: list[SentRequest]) -> None:
    _compare(both, requests)


@pytest.mark.long
@settings(max_examples=2000, **_examples)
@given(st.lists(_requests(), min_size=1, max_size=3))
def test_both_paths_return_the_same_responses_to_thousands_of_requests(both: Run, requests: list[SentRequest]) -> None:
    _compare(both, requests)


@pytest.mark.parametrize("session", SESSIONS)
def test_both_paths_answer_every_simple_request_alike(both: Run, session: str) -> None:
    async def compare(plain: Way, through_the_sdk: Way) -> None:
        for version in (MODERN, BEFORE):
            for name, arguments in [
                *CALLS,
                ("search_tools", {"query": "会议"}),
                ("slack_nope", {}),
                ("x", {"a": 10**309}),
            ]:
                request = plain_call(version, session, name=name, arguments=arguments)
                assert await plain.ask(request) == await through_the_sdk.ask(request), request
            for app, name, arguments in OWN:
                request = replace(plain_call(version, session, name=name, arguments=arguments), app=app)
                assert await plain.ask(request) == await through_the_sdk.ask(request), request
            for method in ("tools/list", "ping"):
                params = {"_meta": ENVELOPE} if version == MODERN else {}
                request = plain_call(version, session, method=method, params=params)
                assert await plain.ask(request) == await through_the_sdk.ask(request), request

    both(compare)


def test_both_paths_leave_the_same_journal(both: Run) -> None:
    async def compare(plain: Way, through_the_sdk: Way) -> None:
        for request in (plain_call(MODERN), plain_call(BEFORE)):
            for way in (plain, through_the_sdk):
                assert (await way.ask(request)).status == 200
        for name in SESSIONS:
            assert await plain.journal(name) == await through_the_sdk.journal(name)
        clients = [line["client"] for line in await plain.journal("calm")]
        assert {f"test/1 ({MODERN})", f"({BEFORE})"} <= set(clients)

    both(compare)


@pytest.mark.parametrize("version", [MODERN, BEFORE])
def test_usual_requests_are_simple_and_requests_with_extras_are_not(version: str) -> None:
    def taken(request: SentRequest) -> bool:
        headers = [(n.lower().encode(), v.encode()) for n, v in request.headers]
        return fast_path.parse({"method": request.method, "headers": headers}, request.body) is not None

    assert taken(plain_call(version))
    assert not taken(plain_call(version, params={"name": "slack_post_message", "_meta": {"progressToken": 1}}))
    assert not taken(plain_call(version, method="initialize"))
    assert not taken(plain_call(version, id=None))


async def test_a_gateway_has_the_fast_path_unless_switched_off(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOUNDSTAGE_PLAIN", "off")
    assert not fast_path.is_enabled()
    monkeypatch.delenv("SOUNDSTAGE_PLAIN")
    assert fast_path.is_enabled()
    session = gateway.session(world="empty")
    request = plain_call()
    response = httpx2.post(session["mcp_url"], content=request.body, headers=dict(request.headers))
    assert "result" in response.json()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(
    value=JSON,
    escaped=st.booleans(),
    cut=st.integers(0, 3),
    put=st.binary(max_size=2),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_a_body_is_read_as_by_the_sdk_reader_of_its_revision(
    value: Any, escaped: bool, cut: int, put: bytes, encoding: str
) -> None:
    whole = json.dumps(value, ensure_ascii=escaped).encode(encoding, "surrogatepass")
    body = whole[: len(whole) // (cut + 1)] + put + whole[len(whole) // (cut + 1) :]
    try:
        wanted = json.loads(body)
    except (ValueError, RecursionError):
        wanted = None
    assert repr(fast_path._parse_body(body, modern=True)) == repr(
        wanted
    )  # compares texts, because NaN does not equal NaN
