"""A server with every feature of MCP, and with the names that the official conformance suite calls.

    python -m tests.gateway.upstream.everything_server http PORT    # streamable HTTP at /mcp, both wire revisions
    python -m tests.gateway.upstream.everything_server sse PORT     # the older SSE transport at /sse
    python -m tests.gateway.upstream.everything_server stdio

For tests of the gateway it has further tools: `echo`, `count` (state of the connection), `show_env`, `sleep`, `grow` (one
more tool in the list), `structured`, `wait_for_cancel`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Json = dict[str, Any]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
STEP_S = 0.05

_NOTHING: Json = {"type": "object", "properties": {}}
_SCHEMA_2020_12: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
    "x-unheard-of": {"kept": [1, 2.5, None]},
}


def _text_argument(name: str, **more: Any) -> Json:
    return {"type": "object", "properties": {name: {"type": "string", **more}}, "required": [name]}


SCHEMAS: dict[str, Json] = {
    "test_sampling": _text_argument("prompt"),
    "test_elicitation": _text_argument("message"),
    "json_schema_2020_12_tool": _SCHEMA_2020_12,
    "test_custom_headers": _text_argument("region", **{"x-mcp-header": "Region"}),
    "echo": _text_argument("text"),
    "show_env": _text_argument("name"),
    "sleep": {"type": "object", "properties": {"seconds": {"type": "number"}}, "required": ["seconds"]},
}
NAMES = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "json_schema_2020_12_tool",
    "test_reconnection",
    "test_custom_headers",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "echo",
    "count",
    "show_env",
    "sleep",
    "grow",
    "structured",
    "wait_for_cancel",
]

# -- results of tools ------------------------------------------------------------------------------------------------------


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _embedded(uri: str, mime_type: str, text: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


_IMAGE: Json = {"type": "image", "data": PNG, "mimeType": "image/png"}
_FIXED: dict[str, list[Json]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [_IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _IMAGE,
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "json_schema_2020_12_tool": [_text("valid")],
    "test_custom_headers": [_text("the headers match")],
}

_NAME: Json = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_COLOR: Json = {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
_OK: Json = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
_DEFAULTS: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_THREE = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{n}", "title": f"{word} choice"} for n, word in ((1, "First"), (2, "Second"), (3, "Third"))]
_ENUMS: Json = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _THREE},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _THREE}},
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
}
_USER: Json = {
    "type": "object",
    "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
    "required": ["username", "email"],
}


def _ask_user(message: str, schema: Json) -> Json:
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def _ask_model(text: str, tokens: int) -> Json:
    messages = [{"role": "user", "content": _text(text)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}}


_ASK_ROOTS: Json = {"method": "roots/list", "params": {}}


class EverythingServer:
    """The handlers of one process. State on `self` is shared by all connections; `count` counts per connection."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self._counts: dict[Any, int] = {}
        self._grown = 0
        self.server = Server(
            "everything",
            version="1.0.0",
            instructions="Offers every feature.",
            cache_hints={
                method: CacheHint(ttl_ms=1000, scope="public")
                for method in (
                    "tools/list",
                    "prompts/list",
                    "resources/list",
                    "resources/templates/list",
                    "resources/read",
                )
            },
            get_tool_input_schema=lambda name: SCHEMAS.get(name, _NOTHING),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._subscribe,
            on_completion=self._complete,
            on_set_logging_level=self._set_level,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        boundary = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="everything")
        self.server.middleware.append(boundary)

    # -- tools ----------------------------------------------------------------------------------------------------------

    async def _list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> Any:
        names = [*NAMES, *(f"grown_{number}" for number in range(1, self._grown + 1))]
        tools: list[Json] = [
            {"name": n, "description": f"Test of {n.replace('_', ' ')}.", "inputSchema": SCHEMAS.get(n, _NOTHING)}
            for n in names
        ]
        return {"tools": tools, "resultType": "complete"}

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> Any:
        name, arguments = params.name, params.arguments or {}
        if name in _FIXED:
            return _done(*_FIXED[name])
        if name.startswith("test_input_required_result_"):
            return self._input_required(context, params)
        handler = getattr(self, f"_{name}", None)
        if name not in NAMES or handler is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {name}")
        return await handler(context, arguments)

    async def _test_tool_with_logging(self, context: Context, arguments: Json) -> Json:
        for number, message in enumerate(
            ("Tool execution started", "Tool processing data", "Tool execution completed")
        ):
            await asyncio.sleep(STEP_S if number else 0)
            await context.session.send_log_message("info", message, related_request_id=context.request_id)
        return _done(_text("Logged three times."))

    _test_logging_tool = _test_tool_with_logging

    async def _test_error_handling(self, context: Context, arguments: Json) -> Json:
        text = _text("This tool intentionally returns an error for testing")
        return {"content": [text], "isError": True, "resultType": "complete"}

    async def _test_tool_with_progress(self, context: Context, arguments: Json) -> Json:
        for progress in (0, 50, 100):
            await context.session.report_progress(progress, 100, f"{progress} of 100")
            await asyncio.sleep(STEP_S)
        return _done(_text("Progress was told."))

    async def _test_sampling(self, context: Context, arguments: Json) -> Json:
        message = types.SamplingMessage(role="user", content=types.TextContent(text=arguments["prompt"]))
        answer = await context.session.create_message([message], max_tokens=100, related_request_id=context.request_id)
        return _done(_text(f"LLM response: {getattr(answer.content, 'text', '')}"))

    async def _elicit(self, context: Context, message: str, schema: Json) -> Json:
        answer = await context.session.elicit_form(message, schema, related_request_id=context.request_id)
        return _done(_text(f"User response: action={answer.action}, content={json.dumps(answer.content)}"))

    async def _test_elicitation(self, context: Context, arguments: Json) -> Json:
        return await self._elicit(context, arguments["message"], _USER)

    async def _test_elicitation_sep1034_defaults(self, context: Context, arguments: Json) -> Json:
        return await self._elicit(context, "Please check your details", _DEFAULTS)

    async def _test_elicitation_sep1330_enums(self, context: Context, arguments: Json) -> Json:
        return await self._elicit(context, "Please choose", _ENUMS)

    async def _test_streaming_elicitation(self, context: Context, arguments: Json) -> Json:
        await context.session.report_progress(1, 2)
        return _input_needed({"name": _ask_user("What is your name?", _NAME)})

    async def _test_reconnection(self, context: Context, arguments: Json) -> Json:
        """Close the stream before the result. The client fetches the result with another request."""
        if context.close_sse_stream is not None:
            await context.close_sse_stream()
        await asyncio.sleep(4 * STEP_S)
        return _done(_text("Reconnection test completed."))

    async def _test_missing_capability(self, context: Context, arguments: Json) -> Json:
        if not context.session.check_client_capability(types.ClientCapabilities(sampling=types.SamplingCapability())):
            data = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "This tool needs sampling.", data)
        return _done(_text("Sampling is there."))

    async def _test_trigger_tool_change(self, context: Context, arguments: Json) -> Json:
        await self._bus.publish(ToolsListChanged())
        return _done(_text("Subscribers were told."))

    async def _test_trigger_prompt_change(self, context: Context, arguments: Json) -> Json:
        await self._bus.publish(PromptsListChanged())
        return _done(_text("Subscribers were told."))

    # -- tools for tests of the gateway ---------------------------------------------------------------------------------

    async def _echo(self, context: Context, arguments: Json) -> Json:
        return _done(_text(json.dumps({"text": arguments["text"]})))

    async def _count(self, context: Context, arguments: Json) -> Json:
        key = _connection(context)
        self._counts[key] = self._counts.get(key, 0) + 1
        return _done(_text(f"{self._counts[key]} in {os.getpid()}"))

    async def _show_env(self, context: Context, arguments: Json) -> Json:
        return _done(_text(os.environ.get(arguments["name"], "unset")))

    async def _sleep(self, context: Context, arguments: Json) -> Json:
        await asyncio.sleep(arguments["seconds"])
        return _done(_text("slept"))

    async def _grow(self, context: Context, arguments: Json) -> Json:
        self._grown += 1
        await self._bus.publish(ToolsListChanged())
        if context.session.can_send_request or context.protocol_version < "2026":
            await context.session.send_tool_list_changed()
        return _done(_text("one more tool"))

    async def _structured(self, context: Context, arguments: Json) -> Json:
        return {**_done(_text('{"n":1}')), "structuredContent": {"n": 1}, "_meta": {"example.com/kept": True}}

    async def _wait_for_cancel(self, context: Context, arguments: Json) -> Json:
        key = _connection(context)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self._counts[key] = 1000
            raise
        return _done(_text("never cancelled"))

    # -- results that request input ---------------------------------------------------------------------------------------

    def _input_required(self, context: Context, params: types.CallToolRequestParams) -> Json:
        answers = {k: _plain(v) for k, v in (params.input_responses or {}).items()}
        state = params.request_state
        match params.name.removeprefix("test_input_required_result_"):
            case "elicitation":
                name = _content(answers, "user_name").get("name")
                if isinstance(name, str):
                    return _done(_text(f"Hello, {name}!"))
                return _input_needed({"user_name": _ask_user("What is your name?", _NAME)})
            case "sampling":
                answer = answers.get("capital_question", {}).get("content")
                if isinstance(answer, dict):
                    return _done(_text(str(answer.get("text"))))
                return _input_needed({"capital_question": _ask_model("What is the capital of France?", 100)})
            case "list_roots":
                roots = answers.get("client_roots", {}).get("roots")
                if roots is not None:
                    return _done(_text(f"Roots: {', '.join(str(r['uri']) for r in roots)}"))
                return _input_needed({"client_roots": _ASK_ROOTS})
            case "request_state" | "tampered_state":
                if "confirm" in answers and state == "confirming":
                    return _done(_text("state-ok"))
                return _input_needed({"confirm": _ask_user("Please confirm", _OK)}, "confirming")
            case "multiple_inputs":
                requests = {
                    "user_name": _ask_user("What is your name?", _NAME),
                    "greeting": _ask_model("Generate a greeting", 50),
                    "client_roots": _ASK_ROOTS,
                }
                if requests.keys() <= answers.keys() and state == "three":
                    return _done(_text("All three inputs are here."))
                return _input_needed(requests, "three")
            case "multi_round":
                if "step2" in answers and state == "round 2":
                    return _done(_text(f"Your colour is {_content(answers, 'step2').get('color')}."))
                if "step1" in answers and state == "round 1":
                    return _input_needed(
                        {"step2": _ask_user("Step 2: What is your favorite color?", _COLOR)}, "round 2"
                    )
                return _input_needed({"step1": _ask_user("Step 1: What is your name?", _NAME)}, "round 1")
            case "capabilities":
                return self._ask_what_the_client_can(context)
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")

    def _ask_what_the_client_can(self, context: Context) -> Json:
        can = context.session.client_capabilities or types.ClientCapabilities()
        requests: Json = {}
        if can.elicitation is not None:
            requests["user_name"] = _ask_user("What is your name?", _NAME)
        if can.sampling is not None:
            requests["greeting"] = _ask_model("Generate a greeting", 50)
        if can.roots is not None:
            requests["client_roots"] = _ASK_ROOTS
        return _input_needed(requests) if requests else _done(_text("The client can be asked nothing."))

    # -- prompts, resources and the rest --------------------------------------------------------------------------------

    async def _list_prompts(self, context: Context, params: Any) -> Any:
        arguments = {
            "test_prompt_with_arguments": ("arg1", "arg2"),
            "test_prompt_with_embedded_resource": ("resourceUri",),
        }
        names = (
            "test_simple_prompt",
            "test_prompt_with_arguments",
            "test_prompt_with_embedded_resource",
            "test_prompt_with_image",
            "test_input_required_result_prompt",
        )
        prompts = [
            {
                "name": name,
                "description": f"Test of {name}.",
                "arguments": [{"name": a, "description": a, "required": True} for a in arguments.get(name, ())],
            }
            for name in names
        ]
        return {"prompts": prompts, "resultType": "complete"}

    async def _get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        match params.name:
            case "test_simple_prompt":
                messages = [_text("This is a simple prompt for testing.")]
            case "test_prompt_with_arguments":
                messages = [_text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
            case "test_prompt_with_embedded_resource":
                messages = [
                    _embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing."),
                    _text("Please process the embedded resource above."),
                ]
            case "test_prompt_with_image":
                messages = [_IMAGE, _text("Please analyze the image above.")]
            case "test_input_required_result_prompt":
                answers = {k: _plain(v) for k, v in (params.input_responses or {}).items()}
                if "user_context" not in answers:
                    schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
                    return _input_needed({"user_context": _ask_user("What context should the prompt use?", schema)})
                messages = [_text(f"Context: {_content(answers, 'user_context').get('context')}")]
            case _:
                raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt: {params.name}")
        return {"messages": [{"role": "user", "content": block} for block in messages], "resultType": "complete"}

    async def _list_resources(self, context: Context, params: Any) -> Any:
        resources = [
            {"uri": "test://static-text", "name": "Static text", "description": "A text", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "Static binary", "description": "A PNG", "mimeType": "image/png"},
            {"uri": "test://watched-resource", "name": "Watched", "description": "Watch it", "mimeType": "text/plain"},
        ]
        return {"resources": resources, "resultType": "complete"}

    async def _list_templates(self, context: Context, params: Any) -> Any:
        template = {"uriTemplate": "test://template/{id}/data", "name": "Template", "mimeType": "application/json"}
        return {"resourceTemplates": [template], "resultType": "complete"}

    async def _read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if uri == "test://static-binary":
            content: Json = {"mimeType": "image/png", "blob": PNG}
        elif uri == "test://static-text":
            content = {"mimeType": "text/plain", "text": "This is the content of the static text resource."}
        elif uri == "test://watched-resource":
            content = {"mimeType": "text/plain", "text": "Watched resource content."}
        elif uri.startswith("test://template/") and uri.endswith("/data"):
            key = uri.removeprefix("test://template/").removesuffix("/data")
            data = {"id": key, "templateTest": True, "data": f"Data for ID: {key}"}
            content = {"mimeType": "application/json", "text": json.dumps(data)}
        else:
            raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
        return {"contents": [{"uri": uri, **content}], "resultType": "complete"}

    async def _subscribe(self, context: Context, params: Any) -> Any:
        return types.EmptyResult()

    async def _set_level(self, context: Context, params: Any) -> Any:
        return types.EmptyResult()

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> Any:
        words = [w for w in ("paris", "park", "party") if w.startswith(params.argument.value)]
        return {"completion": {"values": words, "total": len(words), "hasMore": False}, "resultType": "complete"}


def _done(*content: Json) -> Json:
    return {"content": list(content), "resultType": "complete"}


def _input_needed(requests: Json, state: str | None = None) -> Any:
    return types.InputRequiredResult.model_validate(
        {"resultType": "input_required", "inputRequests": requests, "requestState": state}
    )


def _plain(answer: Any) -> Json:
    plain = answer if isinstance(answer, dict) else answer.model_dump(by_alias=True, exclude_none=True, mode="json")
    return plain if isinstance(plain, dict) else {}


def _content(answers: dict[str, Json], key: str) -> Json:
    content = answers.get(key, {}).get("content")
    return content if isinstance(content, dict) else {}


def _connection(context: Context) -> Any:
    request = context.request
    return None if request is None else request.headers.get("mcp-session-id")


class EventsInMemory(EventStore):
    """Stores sent events, so that a client can resume a closed stream."""

    def __init__(self) -> None:
        self._events: list[tuple[str, str, types.JSONRPCMessage | None]] = []
        self._numbers = itertools.count(1)

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        event_id = str(next(self._numbers))
        self._events.append((event_id, stream_id, message))
        return event_id

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        stream = next((s for e, s, _ in self._events if e == last_event_id), None)
        if stream is not None:
            for event_id, stream_id, message in list(self._events):
                if stream_id == stream and int(event_id) > int(last_event_id) and message is not None:
                    await send_callback(EventMessage(message, event_id))
        return stream


def serve_http(port: int) -> None:
    """Serve until terminated. Events are stored for clients that fetch a result later."""
    import uvicorn

    app = EverythingServer().server.streamable_http_app(event_store=EventsInMemory(), retry_interval=100)
    uvicorn.run(app, port=port, log_level="warning")


def serve_sse(port: int) -> None:
    """Serve over the transport of 2024-11-05."""
    import uvicorn
    from mcp.server.sse import SseServerTransport
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    everything = EverythingServer().server
    transport = SseServerTransport("/messages/")

    async def connect(request: Request) -> Response:
        async with transport.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await everything.run(read, write, _options(everything))
        return Response()

    app = Starlette(routes=[Route("/sse", connect), Mount("/messages/", app=transport.handle_post_message)])
    uvicorn.run(app, port=port, log_level="warning")


async def serve_stdio() -> None:
    from mcp.server.stdio import stdio_server

    server = EverythingServer().server
    async with stdio_server() as (read, write):
        await server.run(read, write, _options(server))


def _options(server: Server[Any]) -> Any:
    return server.create_initialization_options(NotificationOptions(tools_changed=True, prompts_changed=True))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["http", port]:
            serve_http(int(port))
        case ["sse", port]:
            serve_sse(int(port))
        case _:
            anyio.run(serve_stdio)
