"""What goes wrong. Every failure is a sentence that the tool answers with, and none is flagged."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class TushareError(AppError):
    """A failure; `message` is the sentence."""
