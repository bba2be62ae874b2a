"""What a caller of the Python interface has to reckon with."""

from __future__ import annotations


class GatewayError(Exception):
    """The gateway refused, did not answer, or could not start; the message is in its own words.

    `status` is the HTTP status of a refusal; None when there was no answer.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
