"""The errors that kernels raise; each app derives its own error with the data that its replies need."""

from __future__ import annotations

from typing import Literal

ErrorKind = Literal[
    "invalid_arguments",  # the arguments break the tool's schema
    "invalid",  # well-formed, but the app rejects the values
    "not_found",
    "permission",
    "unauthorized",
    "conflict",
    "limit",
    "rate_limited",
    "unavailable",
    "unknown_tool",
    "internal",
    "budget_exceeded",  # the call exceeded its CPU time; the app replies as for a timeout
]
"""Why a call failed, in terms that are the same for every app; the journal stores it as `error_kind`."""


class AppError(Exception):
    """The app rejects a call; its dialect words the reply.

    If a kernel raises the error, all its changes are undone. If it returns the error, the call fails as well but the changes
    persist, because real servers may fail halfway.
    """

    def __init__(self, kind: ErrorKind, message: str) -> None:
        """Create an error."""
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
