"""Every refused argument in the recorded calls of all real servers, reproduced exactly from the tool's schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from soundstage.servers.reply import Answer, ProtocolFailure, failed
from soundstage.servers.tool import Tool
from soundstage.servers.wording import (
    InvalidArguments,
    go,
    jsonschema,
    pydantic,
    python_sdk,
    typescript_sdk,
    zod,
    zod3,
    zod4,
)
from tests.conftest import shared_file

Check = Callable[[Tool, Any], Any]
Envelope = Callable[[Tool, InvalidArguments], Answer]
Case = tuple[Tool, dict[str, Any]]
A_REFUSAL = re.compile(
    r"validation errors? for (\w+Arguments|call\[)"
    r"|^(MCP error -32602: )?(Input validation error|Invalid arguments for tool)"
    r"|parameter validation failed|^(Error: )?\[\s*\{\s*\"|^invalid params: "
)
OLDER = ("1.0.x", "mcp 1.9.0 only")  # recorded from another version of the server than the documented one
_INSTAGRAM = "INSTAGRAM_"  # the recorded names have the prefix, and the functions behind them do not
_PAYPAL = {  # the server's own messages for its patterns
    "capture_id": "Invalid Transaction ID",
    "dispute_id": "Invalid PayPal Dispute ID",
    "invoice_id": "Invalid PayPal Invoice ID",
    "note": "Invalid PayPal Dispute ID",
    "plan_id": "Invalid PayPal Plan ID",
    "refund_id": "Invalid refund ID",
    "subscription_id": "Invalid PayPal Subscription ID",
    "transaction_id": "Invalid PayPal Transaction ID",
}


def by_zod(words: zod.Generation, layout: zod.Layout, **options: Any) -> Check:
    return lambda tool, arguments: zod.check(tool, arguments, words, layout, **options)


def by_function(version: str) -> tuple[Check, Envelope]:
    return (
        lambda tool, arguments: pydantic.check_model(tool, arguments, version),
        python_sdk.invalid_arguments_of_function,
    )


BY_JSONSCHEMA: tuple[Check, Envelope] = (jsonschema.check, lambda tool, error: python_sdk.invalid_arguments(error))
SERVERS: dict[str, tuple[Check, Envelope]] = {
    "amap": by_function("2.11"),
    "baidu_maps": BY_JSONSCHEMA,
    "context7": (by_zod(zod4, zod.by_paths), typescript_sdk.invalid_arguments_since_2),
    "deep_research": (
        by_zod(zod3, zod.as_json),
        lambda tool, error: ProtocolFailure(-32603, error.message, error.kind),
    ),
    "deepseek": (by_zod(zod4, zod.as_json), typescript_sdk.invalid_arguments),
    "discord": BY_JSONSCHEMA,
    "filesystem": (by_zod(zod4, zod.at_paths), typescript_sdk.invalid_arguments),
    "finance": by_function("2.11"),
    "gmail": (
        by_zod(zod3, zod.as_json),
        lambda tool, error: failed(f"Error: {error.message}", error.kind, is_error=None),
    ),
    "instagram": (
        lambda tool, arguments: pydantic.check_call(
            tool, arguments, "2.14", function=tool.name.removeprefix(_INSTAGRAM)
        ),
        lambda tool, error: failed(error.message, error.kind),
    ),
    "lark": (by_zod(zod4, zod.at_paths), typescript_sdk.invalid_arguments),
    "medical": (by_zod(zod3, zod.as_json), typescript_sdk.invalid_arguments_before_1_21),
    "notion": (by_zod(zod4, zod.as_json), typescript_sdk.invalid_arguments),
    "obsidian": BY_JSONSCHEMA,
    "paypal": (by_zod(zod3, zod.at_paths, pattern_messages=_PAYPAL), typescript_sdk.invalid_arguments),
    "reddit": (
        by_zod(zod4, zod.by_paths_from_root, strict=False),
        lambda tool, error: ProtocolFailure(
            -32602,
            typescript_sdk.mcp_error(
                f"Tool '{tool.name}' parameter validation failed: {error.message}. "
                "Please check the parameter types and values according to the tool's schema."
            ),
            error.kind,
        ),
    ),
    "telegram": by_function("2.14"),
    "tushare": by_function("2.11"),
    "xiaohongshu": (go.check, lambda tool, error: go.invalid_arguments(error)),
}


def calls(app: str) -> Iterator[Case]:
    """Yield each recorded call of an app with its tool."""
    facts = json.loads(shared_file("apps", f"{app}.json").read_text())
    tools = {t["name"]: Tool(app, t["name"], "", t["input_schema"], "read") for t in facts["tools"]}
    for line in shared_file("traces", f"{app}.jsonl").read_text().splitlines():
        call = json.loads(line)
        if call["tool"] in tools and call.get("server_generation") not in OLDER:
            yield tools[call["tool"]], call


def answered(app: str, tool: Tool, arguments: Any) -> Answer | None:
    """Return the refusal of the arguments, or None if they are accepted."""
    check, envelope = SERVERS[app]
    try:
        check(tool, arguments)
    except InvalidArguments as error:
        return envelope(tool, error)
    return None


@pytest.mark.parametrize("app", SERVERS)
def test_a_recorded_refusal_is_reproduced_exactly(app: str) -> None:
    refused = 0
    for tool, call in calls(app):
        expect = call["expect"]
        response = expect["response"]
        if expect["ok"] or not isinstance(response, str) or not A_REFUSAL.search(response):
            continue
        refused += 1
        answer = answered(app, tool, call["arguments"])
        assert answer is not None, f"{call['id']}: let through; the server says {response}"
        wire = answer.wire()
        if expect["channel"] == "jsonrpc_error":
            assert wire["error"]["message"] == response, call["id"]
            assert wire["error"]["code"] == expect["jsonrpc_code"]
        else:
            assert wire["content"][0]["text"] == response, call["id"]
            assert wire.get("isError", False) == bool(expect["is_error"]), call["id"]
    assert refused, f"{app} refused no argument in its recordings"


@pytest.mark.parametrize("app", SERVERS)
def test_a_recorded_answered_call_is_accepted(app: str) -> None:
    for tool, call in calls(app):
        if call["expect"]["ok"]:
            answer = answered(app, tool, call["arguments"])
            assert answer is None, f"{call['id']}: {answer}"
