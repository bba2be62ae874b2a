"""Messages of Notion's API for requests that do not match its schema.

One wrong value: `body failed validation: body.children should be an array, instead was `"x"`.` If none of several forms
matches, all of them are listed after "Fix one:". Sources: recorded replies, and
https://developers.notion.com/reference/status-codes with the public reports that the documentation page of this app
names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NoReturn

import orjson

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.errors import invalid


class Undefined:
    """The type of `UNDEFINED`."""


UNDEFINED: Final = Undefined()
"""The value of a missing member, as in JavaScript."""

OR_NULL: Final = " or `null`"
OR_UNDEFINED: Final = " or `undefined`"

Problem = tuple[str, str, Any]
"""The path, the expectation and the actual value."""


def refuse(path: str, expectation: str, value: Any = UNDEFINED) -> NoReturn:
    """Reject one value.

    Raises:
        NotionError: Always.
    """
    raise invalid(f"{_part(path)} failed validation: {_line((path, expectation, value))}")


def refuse_alternatives(problems: Sequence[Problem]) -> NoReturn:
    """Reject a value that matches none of several forms.

    Raises:
        NotionError: Always.
    """
    lines = "\n".join(_line(problem) for problem in problems)
    raise invalid(f"{_part(problems[0][0])} failed validation. Fix one:\n{lines}")


def need_one(path: str, names: Iterable[str]) -> NoReturn:
    """Reject an object that has none of several members, one of which is required.

    Raises:
        NotionError: Always.
    """
    refuse_alternatives([(f"{path}.{name}", "defined", UNDEFINED) for name in names])


def member(value: Object, name: str, path: str) -> Any:
    """Return a required member."""
    if name not in value:
        refuse(f"{path}.{name}", "defined")
    return value[name]


def only(value: Object, allowed: Collection[str], path: str) -> None:
    """Reject members that the API does not know here."""
    for name, item in value.items():
        if name not in allowed:
            refuse(f"{path}.{name}", "not present", item)


def json_object(value: Any, path: str, alternative: str = "") -> Object:
    """Require an object."""
    if not isinstance(value, dict):
        refuse(path, f"an object{alternative}", value)
    return value


def array(value: Any, path: str, alternative: str = "", *, limit: int | None = None) -> list[Any]:
    """Require an array."""
    if not isinstance(value, list):
        refuse(path, f"an array{alternative}", value)
    if limit is not None and len(value) > limit:
        refuse(f"{path}.length", f"≤ `{limit}`", len(value))
    return value


def string(value: Any, path: str, alternative: str = "", *, limit: int | None = None) -> str:
    """Require a string."""
    if not isinstance(value, str):
        refuse(path, f"a string{alternative}", value)
    if limit is not None and (length := utf16_length(value)) > limit:
        refuse(f"{path}.length", f"≤ `{limit}`", length)
    return value


def number(value: Any, path: str, alternative: str = "") -> int | float:
    """Require a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(path, f"a number{alternative}", value)
    return value


def boolean(value: Any, path: str, alternative: str = "") -> bool:
    """Require a boolean."""
    if not isinstance(value, bool):
        refuse(path, f"a boolean{alternative}", value)
    return value


def choice(value: Any, options: Sequence[str], path: str, *, optional: bool = True) -> str:
    """Require one of the words in `options`."""
    if value not in options or not isinstance(value, str):
        shown = [f'`"{option}"`' for option in options] + (["`undefined`"] if optional else [])
        listed = " or ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])}, or {shown[-1]}"
        refuse(path, listed, value)
    return value


def utf16_length(text: str) -> int:
    """Return the length of a text in JavaScript."""
    return len(text.encode("utf-16-le")) // 2


def _part(path: str) -> str:
    return path.partition(".")[0]


def _line(problem: Problem) -> str:
    path, expectation, value = problem
    shown = "undefined" if value is UNDEFINED else orjson.dumps(value).decode()
    return f"{path} should be {expectation}, instead was `{shown}`."
