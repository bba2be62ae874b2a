"""Regular expressions that callers send."""

from __future__ import annotations

from typing import Any

import re2

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


def compiled(pattern: object) -> Any | None:
    """A pattern to search with; None for what is none, or no text."""
    try:
        return re2.compile(pattern, options=_OPTIONS) if isinstance(pattern, str) else None
    except re2.error:
        return None
