"""Errors: an empty result, which is returned like any other."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class NothingFound(AppError):
    """No symbol has a price; `message` is the regular reply."""

    def __init__(self, answer: str) -> None:
        """Create the error."""
        super().__init__("not_found", answer)
