"""The server's dialect: text with structured content; errors of DeepSeek include advice.

Source: DMontgomery40/deepseek-mcp-server a79d4a1 (0.4.0) on the TypeScript SDK 1.26, with zod 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.errors import Refusal
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod4

_NEITHER = "Either `message` or `messages` must be provided"
_NO_FILE = "Either `file_url` or `file_base64` must be provided"
_NO_LOGPROBS = "`top_logprobs` requires `logprobs=true`"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    given = arguments or {}

    def laid_out(issues: Sequence[zod.Issue]) -> str:
        # Zod skips the final rules if a value has a wrong type.
        read = not any(issue.fatal for issue in issues)
        return zod.as_json([*issues, *(_in_the_end(tool, given) if read else [])])

    checked = zod.check(tool, arguments, zod4, laid_out)
    if issues := _in_the_end(tool, given):
        raise InvalidArguments(zod.as_json(issues))
    return checked


def _in_the_end(tool: Tool, given: Arguments) -> list[zod.Issue]:
    """Return the issues of rules about all arguments together (`superRefine`), which are not in the schema."""
    if tool.name in ("vision_upload", "video_upload"):
        wrong = [] if given.get("file_url") or given.get("file_base64") else [_NO_FILE]
        return [_issue(words) for words in wrong]
    if tool.name != "chat_completion":
        return []
    wrong = [_NEITHER] if not given.get("message") and "messages" not in given else []
    wrong += [_NO_LOGPROBS] if "top_logprobs" in given and given.get("logprobs") is not True else []
    return [_issue(words) for words in wrong]


def _issue(words: str) -> zod.Issue:
    return zod.Issue((), words, {"code": "custom", "message": words, "path": []}, fatal=False)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply.text)], ok=True, structured=reply.structured)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    if isinstance(error, Refusal):
        return Result([text_block(error.message)], False, True, error.structured, error.kind)
    return _not_executed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return _not_executed(f"internal error ({call_id})", "internal")


def _not_executed(message: str, kind: ErrorKind) -> Answer:
    """Return a failure that does not come from DeepSeek."""
    fields = {
        "error_type": "tool_execution_error",
        "status": None,
        "message": message,
        "retryable": False,
        "suggestion": "Validate the tool arguments against the published schema and retry.",
    }
    text = f"Tool execution failed: {message}. Check input schema and required fields."
    return Result([text_block(text)], False, True, fields, kind)


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return typescript_sdk.unknown_tool(name)
