"""Keywords that are regular expressions: read as Python reads them, and run by RE2, which nothing makes spin."""

from __future__ import annotations

import re
from typing import Any

import re2


class BadPattern(Exception):
    """A pattern that is refused, in Python's words."""


def compiled(pattern: str) -> Any:
    """A pattern that looks at no capitals, with `search`. What RE2 has no equal of (looking around, references back) is refused.

    Raises:
        BadPattern
    """
    try:
        re.compile(pattern)
    except FutureWarning:  # where warnings are errors; the pattern is one all the same
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
