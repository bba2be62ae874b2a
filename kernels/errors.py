"""What a kernel raises when the app refuses. Each app derives its own error with what its replies need."""

from __future__ import annotations

from typing import Literal

ErrorKind = Literal[
    "invalid_arguments",  # the arguments break the tool's schema
    "invalid",  # well-formed, but the app refuses the values
    "not_found",
    "permission",
    "unauthorized",
    "conflict",
    "limit",
    "rate_limited",
    "unavailable",
    "unknown_tool",
    "internal",
    "budget_exceeded",  # the call used more CPU time than a call may; the app answers as its timeout
]
"""Why a call failed, in words that are the same for every app; the journal keeps it as `error_kind`."""


class AppError(Exception):
    """The app refuses; its dialect words the reply.

    Raised, it undoes whatever the kernel changed before. A kernel that returns it instead has failed all the same, and what it
    changed stays: real servers stop in the middle.
    """

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
