"""Errors: DeepSeek responds with an error status, to which the server adds advice, or a tool is disabled."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.errors import AppError, ErrorKind

_RETRYABLE = frozenset((408, 409, 429, 500, 502, 503, 504))
_KINDS: dict[int, ErrorKind] = {
    400: "invalid",
    401: "unauthorized",
    402: "limit",
    403: "permission",
    404: "not_found",
    422: "invalid",
    429: "rate_limited",
}
# DeepSeek's documented error codes
_MESSAGES = {
    400: "Invalid Format",
    401: "Authentication Fails, Your api key: ****demo is invalid",
    402: "Insufficient Balance",
    422: "Invalid Parameters",
    429: "Rate Limit Reached",
    500: "Server Error",
    503: "Server Overloaded",
}
_UNREADABLE = "DeepSeek API request failed"


class Refusal(AppError):
    """A failure with structured content."""

    def __init__(self, kind: ErrorKind, message: str, structured: dict[str, Any]) -> None:
        """Create a failure."""
        super().__init__(kind, message)
        self.structured = structured


class ApiRefusal(Refusal):
    """DeepSeek's response with an error `status`; None if there was no response."""

    def __init__(self, status: int | None, words: str) -> None:
        """Create the failure with the server's advice for the status."""
        self.status, self.words = status, words
        advice = _advice(status)
        place = "" if status is None else f" ({status})"
        structured = {
            "error_type": "deepseek_api_error",
            "status": status,
            "message": words,
            "retryable": self.retryable,
            "suggestion": advice,
        }
        kind = "unavailable" if status is None else _KINDS.get(status, "unavailable" if status >= 500 else "invalid")
        super().__init__(kind, f"DeepSeek API error{place}: {words}. {advice}", structured)

    @property
    def retryable(self) -> bool:
        """Return whether the server advises to retry."""
        return self.status is None or self.status in _RETRYABLE


def of_status(status: int) -> ApiRefusal:
    """Return the failure for a status, in DeepSeek's words."""
    return ApiRefusal(status, _MESSAGES.get(status, _UNREADABLE))


def disabled(tool: str) -> Refusal:
    """Return the failure of a speculative tool that is disabled."""
    words = f"{tool} is disabled. Set DEEPSEEK_EXPERIMENTAL_V4_ENABLED=true to enable speculative v4 tools."
    advice = "Enable DEEPSEEK_EXPERIMENTAL_V4_ENABLED and retry."
    fields = {"error_type": "experimental_feature_disabled", "tool": tool, "status": None, "retryable": False}
    return Refusal("permission", words, {**fields, "suggestion": advice})


def _advice(status: int | None) -> str:
    if status is None:
        return "Retry the request and verify network connectivity."
    if status in (401, 403):
        return "Verify DEEPSEEK_API_KEY and endpoint permissions."
    if status == 402:
        return "Check account balance or billing status."
    if status == 429:
        return "Rate limit reached; retry with backoff."
    if status >= 500:
        return "Provider service issue; retry with backoff."
    return "Review request fields and argument types." if status >= 400 else "Retry the request."
