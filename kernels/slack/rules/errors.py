"""Errors: the Web API's codes, and the MCP servers' own objections."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.errors import AppError, ErrorKind

_KINDS: dict[str, ErrorKind] = {
    "already_reacted": "conflict",
    "channel_not_found": "not_found",
    "file_not_found": "not_found",
    "handle_already_exists": "conflict",
    "internal_error": "internal",
    "invalid_auth": "unauthorized",
    "message_not_found": "not_found",
    "missing_scope": "permission",
    "msg_blocks_too_long": "limit",
    "name_already_exists": "conflict",
    "no_reaction": "not_found",
    "no_such_subteam": "not_found",
    "not_in_channel": "permission",
    "permission_denied": "permission",
    "plan_upgrade_required": "permission",
    "ratelimited": "rate_limited",
    "restricted_action": "permission",
    "restricted_action_non_threadable_channel": "permission",
    "restricted_action_read_only_channel": "permission",
    "restricted_action_thread_locked": "permission",
    "restricted_action_thread_only_channel": "permission",
    "service_unavailable": "unavailable",
    "thread_locked": "permission",
    "thread_not_found": "not_found",
    "token_expired": "unauthorized",
    "too_many_emoji": "limit",
    "too_many_reactions": "limit",
    "user_is_restricted": "permission",
    "user_not_found": "not_found",
}


class SlackError(AppError):
    """A Web API body {"ok": false, "error": code}.

    Args:
        code: A code such as `channel_not_found`; https://docs.slack.dev/reference/methods lists those of each method.
        details: Further members of the body, such as `needed`.
        prefix: The text that some tools of the korotovsky server put before the code.
    """

    def __init__(self, code: str, details: dict[str, Any] | None = None, prefix: str = "") -> None:
        """Set the code, further members of the body and the prefix."""
        super().__init__(_KINDS.get(code, "invalid"), prefix + code)
        self.code = code
        self.details = details or {}

    def prefixed(self, prefix: str) -> SlackError:
        """Return the same error with a tool's text before the code."""
        return SlackError(self.code, self.details, prefix)


class Refusal(AppError):
    """An error that an MCP server raises before it calls Slack."""

    def __init__(self, message: str, kind: ErrorKind = "invalid_arguments") -> None:
        """Set the message and the kind."""
        super().__init__(kind, message)


class ProtocolRefusal(AppError):
    """A JSON-RPC error of the korotovsky server: a missing tool or a crash."""

    def __init__(self, code: int, message: str, kind: ErrorKind) -> None:
        """Set the JSON-RPC code, the message and the kind."""
        super().__init__(kind, message)
        self.code = code


def tool_is_missing(name: str) -> ProtocolRefusal:
    """Return the error for a tool that the server does not offer."""
    return ProtocolRefusal(-32602, f"tool '{name}' not found: tool not found", "unknown_tool")
