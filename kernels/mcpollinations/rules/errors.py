"""Errors: the server rejects arguments, Pollinations returns an error status, or Node throws."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.engines.javascript import text, type_of
from soundstage.kernels.errors import AppError, ErrorKind


class Refusal(AppError):
    """An error; the tool prefixes it with `Error …: `."""


def no_arguments() -> Refusal:
    """Return V8's error for a call without arguments."""
    return Refusal("invalid", "Cannot destructure property 'prompt' of 'args' as it is undefined.")


def no_path(value: Any) -> Refusal:
    """Return Node's error for an invalid path."""
    shown = "null" if value is None else _described(value)
    wanted = "of type string or an instance of Buffer or URL"
    return Refusal("invalid", f'The "path" argument must be {wanted}. Received {shown}')


def no_function(name: str) -> Refusal:
    """Return V8's error for a call of a non-function."""
    return Refusal("invalid", f"{name} is not a function")


def _described(value: Any) -> str:
    if isinstance(value, list | dict):
        return f"an instance of {'Array' if isinstance(value, list) else 'Object'}"
    return f"type {type_of(value)} ({text(value)})"


_STATUS: dict[int, tuple[str, ErrorKind]] = {
    400: ("Bad Request", "invalid"),
    401: ("Unauthorized", "unauthorized"),
    402: ("Payment Required", "limit"),
    403: ("Forbidden", "permission"),
    404: ("Not Found", "not_found"),
    408: ("Request Timeout", "unavailable"),
    413: ("Payload Too Large", "limit"),
    422: ("Unprocessable Entity", "invalid"),
    429: ("Too Many Requests", "rate_limited"),
    500: ("Internal Server Error", "unavailable"),
    502: ("Bad Gateway", "unavailable"),
    503: ("Service Unavailable", "unavailable"),
    504: ("Gateway Timeout", "unavailable"),
}


def of_status(doing: str, status: int) -> Refusal:
    """Return the error for a status of Pollinations."""
    words, kind = _STATUS.get(status, ("", "internal"))
    return Refusal(kind, f"Failed to {doing}: {words}")
