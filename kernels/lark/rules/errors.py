"""Lark's refusals: an Open API error code, its message, and the HTTP status that decides how MCP shows it."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.errors import AppError, ErrorKind


class LarkError(AppError):
    """A failure of the Open API.

    Args:
        code: Lark's error code, such as 230002.
        message: Lark's `msg`.
        http: the status the real API answers with; below 400 the MCP result carries no isError.
        kind: see `soundstage.kernels.errors.ErrorKind`.
        details: further members of the body's `error` object.
        empty_data: the real body carries an empty `data`, so MCP shows only `{}` (seen on some HTTP 200 failures).
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
        super().__init__(kind, message)
        self.code = code
        self.http = http
        self.details = details
        self.empty_data = empty_data


class LarkServerError(AppError):
    """A failure that the MCP server itself words, without an Open API body: `payload` is the text's JSON."""

    def __init__(self, payload: dict[str, Any], *, kind: ErrorKind, is_error: bool = True) -> None:
        super().__init__(kind, str(payload.get("msg") or payload.get("errorMessage") or "failed"))
        self.payload = payload
        self.is_error = is_error


def field_violation(field: str, description: str) -> LarkError:
    """The API gateway's refusal of one field (required, length, enum), made before the service sees the call."""
    violations = [{"field": field, "description": description}]
    return LarkError(99992402, "field validation failed", details={"field_violations": violations})
