"""Arguments as the server's Python reads them.

With today's packages the schemas have been checked before; on the packages of its uv.lock anything may come.
"""

from __future__ import annotations

from typing import Any

from soundstage.kernels.discord.rules.errors import PythonError
from soundstage.kernels.types import Arguments


def given(arguments: Arguments, name: str) -> Any:
    """`arguments[name]`.

    Raises:
        PythonError: the words of a KeyError, `'role_id'`.
    """
    if name not in arguments:
        raise PythonError(repr(name))
    return arguments[name]


def whole(value: Any) -> int:
    """`int(value)`: digits with a sign, blanks and underscores are fine, fractions are cut off.

    Raises:
        PythonError: int's own words, `invalid literal for int() with base 10: 'lobby'`.
    """
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise PythonError(str(error)) from None


def limit_of(arguments: Arguments, default: int, most: int) -> int:
    """How many are asked for; none at all where that is not positive."""
    return min(whole(arguments.get("limit", default)), most)


def items(value: Any) -> list[Any]:
    """What a loop over `value` goes through: the characters of a text, too.

    Raises:
        PythonError: `'int' object is not iterable`.
    """
    try:
        return list(value)
    except TypeError as error:
        raise PythonError(str(error)) from None


def header(value: Any) -> str:
    """A reason as discord.py writes it into a header of the request; nothing where there is none.

    Raises:
        PythonError: for what is neither text nor empty.
    """
    if value and not isinstance(value, str):
        raise PythonError("quote_from_bytes() expected bytes")
    return value or ""
