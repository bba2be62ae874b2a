"""Errors: every failure is a sentence, and none is marked as an error."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class TushareError(AppError):
    """A failure; `message` is the sentence."""
