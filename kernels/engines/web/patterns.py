"""Regular expressions supplied by callers."""

from __future__ import annotations

from typing import Any

import re2

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True  # thousands of groups would make a search slow


def compiled(pattern: object) -> Any | None:
    """Compile a pattern; return None if it is invalid or not a string."""
    try:
        return re2.compile(pattern, options=_OPTIONS) if isinstance(pattern, str) else None
    except re2.error:
        return None
