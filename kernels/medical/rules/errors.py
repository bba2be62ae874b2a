"""How the server fails: it finds nothing, and says so in a sentence. It sets no `isError` for that."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind


class NothingFound(AppError):
    """A search without a hit, or something that does not exist; a source that fails looks the same.

    Kernels return it: what the cache has noted stays.
    """

    def __init__(self, message: str, kind: ErrorKind = "not_found") -> None:
        super().__init__(kind, message)
