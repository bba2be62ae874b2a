"""Keywords that are regular expressions: validated by Python, executed by RE2 in linear time."""

from __future__ import annotations

import re
from typing import Any

import re2


class BadPattern(Exception):
    """A pattern is rejected, in Python's words."""


def compiled(pattern: str) -> Any:
    """Compile a case-insensitive pattern. Features that RE2 lacks (lookarounds, backreferences) are rejected.

    Raises:
        BadPattern: The pattern is invalid or not supported.
    """
    try:
        re.compile(pattern)
    except FutureWarning:  # raised if warnings are errors; the pattern is nevertheless valid
        pass
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(str(error)) from None
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return re2.compile(pattern.encode("utf-8", "replace"), options)
    except re2.error as error:
        raise BadPattern(error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)) from None
