"""What goes wrong: nothing was found, which is answered like anything else."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class NothingFound(AppError):
    """No symbol has a price; `message` is the answer all the same."""

    def __init__(self, answer: str) -> None:
        super().__init__("not_found", answer)
