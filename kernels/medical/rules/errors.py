"""Failures: an empty result is reported as a sentence, without `isError`."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind


class NothingFound(AppError):
    """A search without results, or an unknown item; a failing source looks the same.

    Kernels return it instead of raising it, so that changes of the cache persist.
    """

    def __init__(self, message: str, kind: ErrorKind = "not_found") -> None:
        """Create the failure."""
        super().__init__(kind, message)
