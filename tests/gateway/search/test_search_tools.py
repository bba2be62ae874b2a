"""The three search tools through MCP clients: both revisions, HTTP and stdio, valid and invalid input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastmcp
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.journal import SESSION_USER
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.call import CallRequest, Delegate
from soundstage.gateway.calls.search_tools import SearchToolsHandler
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import shared_toolset
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import app_names, load_app, load_apps
from tests import built_worlds
from tests.conftest import Gateway, clean_environment, soundstage_command

SEARCH = ["search_tools", "describe_tool", "call_tool"]
MODES = ["legacy", "2026-07-28"]


async def _names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def _errand(client: Client) -> None:
    """Find a tool, read its description, and call it directly and through `call_tool`."""
    assert await _names(client) == SEARCH
    matches = await client.call_tool("search_tools", {"query": "create a task", "k": 3})
    tools = matches.structured_content["tools"]
    assert json.loads(matches.content[0].text) == matches.structured_content
    assert [set(tool) for tool in tools] == [{"app", "name", "description", "score", "inputSchema"}] * 3
    assert tools[0]["name"] == "lark_task_v2_task_create"
    assert tools[0]["inputSchema"] == load_app("lark").tools["task_v2_task_create"].input_schema
    assert "\n" not in tools[0]["description"]
    described = (await client.call_tool("describe_tool", {"name": tools[0]["name"]})).structured_content
    assert described == {
        "app": "lark",
        **load_app("lark").tools["task_v2_task_create"].listed("lark_task_v2_task_create"),
    }
    wanted = {"data": {"summary": "Order film stock"}}
    through = await client.call_tool("call_tool", {"name": tools[0]["name"], "arguments": wanted})
    direct = await client.call_tool(tools[0]["name"], wanted)
    for result in (through, direct):
        assert json.loads(result.content[0].text)["task"]["summary"] == "Order film stock"
    assert await _names(client) == SEARCH


def _check_journal(lines: list[dict[str, Any]]) -> None:
    assert [(line["app"], line["tool"], line["ok"]) for line in lines] == [
        (None, "search_tools", True),
        (None, "describe_tool", True),
        ("lark", "task_v2_task_create", True),
        ("lark", "task_v2_task_create", True),
    ]
    assert [len(line["changes"]) > 0 for line in lines] == [False, False, True, True]
    assert lines[0]["reply"]["structuredContent"]["tools"]


@pytest.mark.parametrize("mode", MODES)
async def test_an_mcp_client_over_http_uses_the_search_tools(gateway: Gateway, mode: str) -> None:
    session = gateway.session(tools="search")
    assert session["tools"] == "search"
    async with Client(session["mcp_url"], mode=mode) as client:
        await _errand(client)
    _check_journal(gateway.journal(session["id"]))


@pytest.mark.parametrize("mode", MODES)
async def test_an_mcp_client_over_stdio_uses_the_search_tools(tmp_path: Path, mode: str) -> None:
    built_worlds.link_into(tmp_path)
    command, *options = soundstage_command()
    arguments = [*options, "stdio", "--tools", "search", "--data", str(tmp_path)]
    parameters = StdioServerParameters(command=command, args=arguments, env=clean_environment())
    with (tmp_path / "log").open("a") as log:
        async with Client(stdio_client(parameters, errlog=log), mode=mode) as client:
            await _errand(client)


async def test_the_fastmcp_client_uses_the_search_tools(gateway: Gateway) -> None:
    session = gateway.session(tools="search")
    async with fastmcp.Client(session["mcp_url"]) as client:
        assert [t.name for t in await client.list_tools()] == SEARCH
        result = await client.call_tool("search_tools", {"query": "emoji reaction", "app": "slack"})
        assert {t["app"] for t in result.structured_content["tools"]} == {"slack"}


async def test_a_session_that_lists_all_tools_also_has_the_search_tools(gateway: Gateway) -> None:
    session = gateway.session()
    assert session["tools"] == "all"
    async with Client(session["mcp_url"]) as client:
        names = await _names(client)
        assert names[-3:] == SEARCH
        assert len(names) == sum(len(app.tools) for app in load_apps().values()) + 3
        assert (await client.call_tool("search_tools", {"query": "emoji"})).structured_content["tools"]


async def test_the_address_of_one_app_has_only_the_real_servers_tools(gateway: Gateway) -> None:
    session = gateway.session(tools="search")
    async with Client(session["apps"]["slack"], mode="legacy") as client:
        assert await _names(client) == list(load_app("slack").tools)
        refusal = load_app("slack").dialect.unknown_tool("search_tools").wire()
        message = refusal["error"]["message"] if "error" in refusal else refusal["content"][0]["text"]
        assert message in str(await _outcome(client, "search_tools", {"query": "emoji"}))


async def test_a_session_of_two_apps_finds_only_their_tools(gateway: Gateway) -> None:
    session = gateway.session(tools="search", apps=["slack", "notion"])
    async with Client(session["mcp_url"]) as client:
        result = await client.call_tool("search_tools", {"query": "send a message, create a task or event", "k": 50})
        assert {t["app"] for t in result.structured_content["tools"]} <= {"slack", "notion"}


async def test_a_search_without_matches_suggests_alternatives(gateway: Gateway) -> None:
    session = gateway.session(tools="search", apps=["slack", "notion"])
    async with Client(session["mcp_url"]) as client:
        nothing = (await client.call_tool("search_tools", {"query": "zzyzx"})).structured_content
        assert nothing["tools"] == []
        assert "say it in other words" in nothing["hint"]
        assert "tools of these apps are here: notion, slack" in nothing["hint"]
        of_one = (await client.call_tool("search_tools", {"query": "zzyzx", "app": "slack"})).structured_content
        assert "search without app 'slack'" in of_one["hint"]
        assert "hint" not in (await client.call_tool("search_tools", {"query": "emoji"})).structured_content


async def test_a_chinese_query_finds_tools_and_no_alias_is_shown(gateway: Gateway) -> None:
    session = gateway.session(tools="search")
    async with Client(session["mcp_url"]) as client:
        result = await client.call_tool("search_tools", {"query": "给同事发一条消息", "k": 3})
        assert "lark_im_v1_message_create" in [t["name"] for t in result.structured_content["tools"]]
        described = await client.call_tool("describe_tool", {"name": "lark_im_v1_message_create"})
        for text in (result.content[0].text, described.content[0].text):
            assert "aliases" not in text
            assert not [a for a in load_app("lark").tools["im_v1_message_create"].aliases if f'"{a}"' in text]


BAD = [
    ("search_tools", {}, "query: expected a text"),
    ("search_tools", {"query": ""}, "query: it is empty"),
    ("search_tools", {"query": " \n\t"}, "query: it is empty"),
    ("search_tools", {"query": "x" * 2001}, "2001 characters; at most 2000"),
    ("search_tools", {"query": ["send"]}, "got a list"),
    ("search_tools", {"query": "send", "k": 0}, "from 1 to 50, got 0"),
    ("search_tools", {"query": "send", "k": 51}, "from 1 to 50, got 51"),
    ("search_tools", {"query": "send", "k": -(10**30)}, "from 1 to 50"),
    ("search_tools", {"query": "send", "k": 2.5}, "from 1 to 50, got 2.5"),
    ("search_tools", {"query": "send", "k": True}, "from 1 to 50"),
    ("search_tools", {"query": "send", "k": "5"}, "from 1 to 50"),
    ("search_tools", {"query": "send", "k": None}, "from 1 to 50"),
    ("search_tools", {"query": "send", "app": "teams"}, "no app 'teams' here; there are: "),
    ("search_tools", {"query": "send", "app": ["slack"]}, "there are: "),
    (
        "search_tools",
        {"query": "send", "limit": 3},
        "'limit': search_tools has no such argument; it takes: query, k, app",
    ),
    ("describe_tool", {}, "name: expected a tool's name"),
    ("describe_tool", {"name": "slack_post_mesage"}, "did you mean: slack_post_message"),
    ("describe_tool", {"name": "search_tools"}, "is called directly"),
    ("describe_tool", {"name": "zzqqxx"}, "search_tools finds tools by what they do"),
    ("describe_tool", {"name": "x" * 100_000}, "there is no tool"),
    ("call_tool", {"name": "lark_im_v1_mesage_create"}, "did you mean: lark_im_v1_message_create"),
    ("call_tool", {"name": "post_message"}, "slack_post_message"),
    ("call_tool", {"name": "call_tool", "arguments": {}}, "is called directly"),
    ("call_tool", {"name": "slack_list_channels", "arguments": "{}"}, "expected a JSON object"),
    ("call_tool", {"name": None}, "name: expected a tool's name"),
]


@pytest.mark.parametrize("mode", MODES)
async def test_bad_input_is_refused_and_the_session_continues(gateway: Gateway, mode: str) -> None:
    session = gateway.session(tools="search")
    async with Client(session["mcp_url"], mode=mode) as client:
        for tool, arguments, message in BAD:
            result = await client.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments)
            assert message in result.content[0].text, (message, result.content[0].text)
            assert len(result.content[0].text) < 500
        assert (await client.call_tool("search_tools", {"query": "emoji"})).structured_content["tools"]
    lines = gateway.journal(session["id"])
    assert [line["error_kind"] for line in lines] == ["invalid_arguments"] * len(BAD) + [None]
    assert not any(line["changes"] for line in lines)


@pytest.mark.parametrize("mode", MODES)
async def test_bad_arguments_through_call_tool_are_refused_in_the_apps_own_words(gateway: Gateway, mode: str) -> None:
    session = gateway.session(tools="search")
    calls = [
        ("slack_post_message", {"channel_id": "C404", "text": "x"}),
        ("slack_post_message", {"channel_id": 5}),
        ("lark_im_v1_chat_list", {"params": {"page_size": "x"}}),
        ("notion_retrieve_page", {"page_id": "x"}),
        ("notion_retrieve_page", None),
        ("xiaohongshu_search_feeds", {}),
    ]
    async with Client(session["mcp_url"], mode=mode) as client:
        for name, arguments in calls:
            given = {"name": name} | ({} if arguments is None else {"arguments": arguments})
            assert await _outcome(client, "call_tool", given) == await _outcome(client, name, arguments)
    lines = gateway.journal(session["id"])
    assert [line["app"] for line in lines[::2]] == [line["app"] for line in lines[1::2]]
    assert all(line["app"] is not None and not line["ok"] for line in lines)


async def _outcome(client: Client, name: str, arguments: dict[str, Any] | None) -> Any:
    try:
        result = await client.call_tool(name, arguments)
    except MCPError as error:
        return error.error
    return result.content, result.is_error


def test_an_unknown_tool_listing_is_refused(gateway: Gateway) -> None:
    response = gateway.api("POST", "/sessions", json={"tools": "some"})
    assert response.status_code == 422
    assert "'all' or 'search'" in response.json()["error"]


def test_the_tool_listing_survives_restarts_and_forks(gateway: Gateway) -> None:
    session = gateway.session(tools="search", durability="durable")
    fork = gateway.api("POST", f"/sessions/{session['id']}/fork").json()
    assert fork["tools"] == "search"
    for made in (session, fork):
        gateway.api("DELETE", f"/sessions/{made['id']}")


@pytest.mark.parametrize("query", ["send a message", "发布笔记", "x"])
def test_the_control_api_finds_the_same_tools(gateway: Gateway, query: str) -> None:
    results = gateway.api("GET", "/search", params={"q": query, "k": 7}).json()
    finder = ToolFinder(Path("none"))
    toolset = shared_toolset(app_names())
    names = list(toolset.targets)
    hits = finder.search(toolset.catalogue, query, 7)
    assert [tool["prefixed_name"] for tool in results] == [names[hit.position] for hit in hits]


@pytest.mark.parametrize(
    ("parameters", "status", "message"),
    [
        ({}, 422, "q"),
        ({"q": ""}, 422, "q"),
        ({"q": "  "}, 400, "it is empty"),
        ({"q": "x" * 2001}, 422, "2000"),
        ({"q": "x", "k": 0}, 422, "k"),
        ({"q": "x", "k": 51}, 422, "k"),
        ({"q": "x", "app": "teams"}, 404, "known: "),
    ],
)
def test_the_control_api_refuses_bad_input(
    gateway: Gateway, parameters: dict[str, Any], status: int, message: str
) -> None:
    response = gateway.api("GET", "/search", params=parameters)
    assert response.status_code == status
    assert message in response.json()["error"]


def test_the_schemas_of_the_search_tools_match_their_checks() -> None:
    schemas = {tool["name"]: tool["inputSchema"] for tool in shared_toolset((), "search").tools}
    by_schema = ("expected", "at most", "got a", "no such argument")
    for tool, arguments, message in BAD:
        if any(words in message for words in by_schema):
            assert not jsonschema_rs.is_valid(schemas[tool], arguments), (tool, arguments)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_ARGUMENTS = st.dictionaries(st.sampled_from(["query", "k", "app", "name", "arguments"]) | st.text(), _JSON, max_size=4)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(SEARCH), _ARGUMENTS | st.none())
async def test_any_arguments_are_answered_and_change_nothing(
    new_session: Callable[..., Session], tool: str, arguments: dict[str, Any] | None
) -> None:
    session = new_session()
    before, clock = digest(session.context), session.context.read_meta().clock
    toolset = shared_toolset(app_names())
    made = await SearchToolsHandler(ToolFinder(Path("none"))).handle(
        CallRequest(session, toolset, None, tool, arguments, SESSION_USER, {})
    )
    assert not isinstance(made, Delegate)
    assert made.answer.ok is not made.answer.is_error
    assert digest(session.context) == before
    assert session.context.read_meta().clock == clock


async def test_searches_replay_as_recorded(new_session: Callable[..., Session], tmp_path: Path) -> None:
    calls, toolset = CallService(ToolFinder(tmp_path)), shared_toolset(app_names())
    first, again = new_session(world="studio"), new_session(world="studio")
    from soundstage.gateway.calls.dispatch import dispatch

    for summary in ("one", "two"):
        await calls.make_call(first, toolset, "search_tools", {"query": f"create a task {summary}"})
        await calls.make_call(first, toolset, "describe_tool", {"name": "nothing"})
        dispatch(first, load_app("lark"), "task_v2_task_create", {"data": {"summary": summary}})
    rows = list(journal.read(first.context))
    assert replay(Sessions(Settings(data=tmp_path)), rows, again) == []
    repeated = list(journal.read(again.context))
    assert [(r.step, r.at_ms, r.app, r.tool, r.reply) for r in repeated] == [
        (r.step, r.at_ms, r.app, r.tool, r.reply) for r in rows
    ]
    assert state.dump(again.context) == state.dump(first.context)
    assert digest(again.context) == digest(first.context)
    journal.rewind(first.context, 3)
    assert journal.last_step(first.context) == 3
