"""Arguments as the server's Python reads them.

With current packages the schemas have been checked before; with those of its uv.lock any value may arrive.
"""

from __future__ import annotations

from typing import Any

from soundstage.kernels.discord.rules.errors import PythonError
from soundstage.kernels.types import Arguments


def required_argument(arguments: Arguments, name: str) -> Any:
    """Return `arguments[name]`.

    Raises:
        PythonError: The text of a KeyError, such as `'role_id'`.
    """
    if name not in arguments:
        raise PythonError(repr(name))
    return arguments[name]


def parse_int(value: Any) -> int:
    """Return `int(value)`, which accepts digits with a sign, spaces and underscores, and truncates fractions.

    Raises:
        PythonError: Python's text, such as `invalid literal for int() with base 10: 'lobby'`.
    """
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise PythonError(str(error)) from None


def limit_of(arguments: Arguments, default: int, most: int) -> int:
    """Return the requested number of items, or the default; values below 1 mean none."""
    return min(parse_int(arguments.get("limit", default)), most)


def items(value: Any) -> list[Any]:
    """Return the items of a loop over `value`, which may be the characters of a text.

    Raises:
        PythonError: `'int' object is not iterable`.
    """
    try:
        return list(value)
    except TypeError as error:
        raise PythonError(str(error)) from None


def header(value: Any) -> str:
    """Return a reason as discord.py writes it into a request header, or an empty text.

    Raises:
        PythonError: The reason is neither a text nor empty.
    """
    if value and not isinstance(value, str):
        raise PythonError("quote_from_bytes() expected bytes")
    return value or ""
