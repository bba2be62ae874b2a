"""Replies and errors of Lark's MCP server.

Success is the JSON of the Open API's `data`. A failure with HTTP status 400 or above is isError with the whole body;
one with HTTP 200 and a code (most of the base's, the wiki search's) has no isError; one without a body is isError with
the HTTP client's message as a JSON string. The MCP SDK (1.32 with zod 4) validates arguments before anything is sent
and silently drops keys that the schema does not name.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.lark.rules.errors import LarkError, LarkServerError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, compact_json, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod4

# Open API bodies contain a method id in their troubleshooting link, which does not depend on the call.
_METHOD_ID = "6936075528890826780"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like zod 4."""
    return zod.check(tool, arguments or {}, zod4, zod.at_paths)


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    return Result([text_block(compact_json(reply))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    match error:
        case InvalidArguments():
            return typescript_sdk.invalid_arguments(tool, error)
        case LarkServerError():
            return failed(compact_json(error.payload), error.kind, is_error=True if error.is_error else None)
        case LarkError():
            flag = True if error.http >= 400 else None
            return failed(compact_json(_body(error, context)), error.kind, is_error=flag)
        case _:
            return failed(compact_json(error.message), error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    body = {"code": 1500, "msg": "Internal Error", "error": {"log_id": call_id}}
    return failed(compact_json(body), "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return typescript_sdk.unknown_tool(name)


def _body(error: LarkError, context: AppContext) -> dict[str, Any]:
    if error.empty_data:
        return {}
    body: dict[str, Any] = {"code": error.code, "msg": error.message}
    if error.http >= 400:
        log_id = f"{context.now():%Y%m%d%H%M%S}{context.new_id('log_id', '{hex:18}').upper()}"
        link = f"https://open.feishu.cn/search?from=openapi&log_id={log_id}&code={error.code}&method_id={_METHOD_ID}"
        troubleshooter = f"排查建议查看(Troubleshooting suggestions): {link}"
        body["error"] = {**(error.details or {}), "log_id": log_id, "troubleshooter": troubleshooter}
    return body
