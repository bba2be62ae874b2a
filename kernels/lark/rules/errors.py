"""Lark's errors: an Open API error code, its message, and the HTTP status that determines the MCP result."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.errors import AppError, ErrorKind


class LarkError(AppError):
    """A failure of the Open API.

    Args:
        code: Lark's error code, such as 230002.
        message: Lark's `msg`.
        http: The HTTP status of the real API; below 400 the MCP result has no isError.
        kind: See `soundstage.kernels.errors.ErrorKind`.
        details: Further members of the body's `error` object.
        empty_data: The real body has an empty `data`, so MCP shows only `{}` (seen on some HTTP 200 failures).
    """

    def __init__(
        self,
        code: int,
        message: str,
        *,
        http: int = 400,
        kind: ErrorKind = "invalid",
        details: dict[str, Any] | None = None,
        empty_data: bool = False,
    ) -> None:
        """Set the error code, the HTTP status and the further parts of the body."""
        super().__init__(kind, message)
        self.code = code
        self.http = http
        self.details = details
        self.empty_data = empty_data


class LarkServerError(AppError):
    """A failure that the MCP server itself words, without an Open API body; `payload` is the JSON of its text."""

    def __init__(self, payload: dict[str, Any], *, kind: ErrorKind, is_error: bool = True) -> None:
        """Set the JSON of the text and whether the result is flagged as an error."""
        super().__init__(kind, str(payload.get("msg") or payload.get("errorMessage") or "failed"))
        self.payload = payload
        self.is_error = is_error


def field_violation(field: str, description: str) -> LarkError:
    """Return the API gateway's error for one field (required, length, enum), before the service sees the call."""
    violations = [{"field": field, "description": description}]
    return LarkError(99992402, "field validation failed", details={"field_violations": violations})
