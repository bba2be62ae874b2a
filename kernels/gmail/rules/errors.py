"""Errors of Gmail's API and of the server.

The server prints the messages of an API error's `errors[]` with a prefix for the failed operation; some prefixes depend on the
HTTP status `code`. The sentences' sources are in `docs/apps/gmail.md`.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind


class Refusal(AppError):
    """An error of the server itself; `message` is its sentence."""


class ApiError(AppError):
    """An error of Gmail's API with its HTTP status."""

    def __init__(self, code: int, kind: ErrorKind, message: str) -> None:
        """Create the error."""
        super().__init__(kind, message)
        self.code = code


class Download(AppError):
    """A failed download, which the server does not mark as an error."""

    def __init__(self, error: AppError) -> None:
        """Create the failure with the server's prefix."""
        super().__init__(error.kind, f"Failed to download attachment: {error.message}")


class Hang(AppError):
    """The server never responds, and the client gives up after a minute."""

    def __init__(self) -> None:
        """Create the client's timeout error."""
        super().__init__("unavailable", "Request timed out")


def wrapped(error: AppError, before: str) -> Refusal:
    """Return an error with the prefix of one of the server's helpers."""
    return Refusal(error.kind, f"{before}: {error.message}")


def not_found() -> ApiError:
    """Return the API's error for an unknown id."""
    return ApiError(404, "not_found", "Requested entity was not found.")


def invalid_id() -> ApiError:
    """Return the API's error for a malformed id."""
    return ApiError(400, "invalid", "Invalid id value")


def invalid_label(label: str) -> ApiError:
    """Return the API's error for an invalid label."""
    return ApiError(400, "invalid", f"Invalid label: {label}")


def unknown_label() -> ApiError:
    """Return the API's error for an unknown label."""
    return ApiError(400, "not_found", "labelId not found")


def insufficient_permission() -> ApiError:
    """Return the API's error for missing OAuth scopes."""
    return ApiError(403, "permission", "Insufficient Permission")
