"""Errors that the Python client raises."""

from __future__ import annotations


class GatewayError(Exception):
    """The gateway refused, did not answer, or could not start; the message is the gateway's own.

    `status` is the HTTP status of a refusal, or None if there was no answer.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
