"""What Gmail's API and the server refuse, each with its sentence.

The server shows the messages of an API error's `errors[]`, and wraps them by what it was about to do; some wrappings depend on
the HTTP status, which is `code`. Sources of the sentences: `docs/apps/gmail.md`.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind


class Refusal(AppError):
    """A refusal of the server's own; `message` is the sentence."""


class ApiError(AppError):
    """A refusal of Gmail's API with its HTTP status."""

    def __init__(self, code: int, kind: ErrorKind, message: str) -> None:
        super().__init__(kind, message)
        self.code = code


class Download(AppError):
    """A download that failed, which the server does not call an error."""

    def __init__(self, error: AppError) -> None:
        super().__init__(error.kind, f"Failed to download attachment: {error.message}")


class Hang(AppError):
    """The server never answers; its client gives up after a minute."""

    def __init__(self) -> None:
        super().__init__("unavailable", "Request timed out")


def wrapped(error: AppError, before: str) -> Refusal:
    """An error as one of the server's helpers passes it on."""
    return Refusal(error.kind, f"{before}: {error.message}")


def not_found() -> ApiError:
    return ApiError(404, "not_found", "Requested entity was not found.")


def invalid_id() -> ApiError:
    return ApiError(400, "invalid", "Invalid id value")


def invalid_label(label: str) -> ApiError:
    return ApiError(400, "invalid", f"Invalid label: {label}")


def unknown_label() -> ApiError:
    return ApiError(400, "not_found", "labelId not found")


def insufficient_permission() -> ApiError:
    return ApiError(403, "permission", "Insufficient Permission")
