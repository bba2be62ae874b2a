"""Shapes of nested values as data: the declarations of JSON columns, and the check of a value against a shape.

| shape | matching values |
|---|---|
| `str`, `bool` | a text; true or false |
| `int`, `float` | a whole number; any number |
| `list`, `dict` | any list, any object |
| `None` | null |
| `[shape]` | a list of values with this shape |
| `{"name": shape, …}` | an object whose members of these names, if present, match. `...` means all other names |
| `(shape, shape)` | either |
| `lambda: shape` | that shape, for a recursive one such as a mail part that contains parts |

Members that a shape does not name may have any value, and every member is optional, because real servers add and omit members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

Shape: TypeAlias = "type | list[Any] | dict[Any, Any] | tuple[Any, ...] | FunctionType | None"

_WORDS: Mapping[Any, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
    None: "null",
}
_MEMBERS_SHOWN = 8


class Misfit(NamedTuple):
    """A value that does not match: its path below the checked value, such as `.members[2].id`, and the expected shape."""

    path: str
    expected: str
    value: object


def shape(of: Shape) -> dict[str, Shape]:
    """Return the column info that declares the shape of a JSON column's values."""
    return {"shape": of}


def fits(of: Shape) -> Callable[[Any], bool]:
    """Return a fast check whether a JSON value matches a shape; `misfit` explains a mismatch."""
    if isinstance(of, tuple):
        either = [fits(one) for one in of]
        return lambda value: any(one(value) for one in either)
    if isinstance(of, list):
        each = fits(of[0])
        return lambda value: type(value) is list and all(map(each, value))
    if isinstance(of, dict):
        return _fits_object({name: fits(one) for name, one in of.items() if name is not ...}, fits(of.get(..., object)))
    if isinstance(of, FunctionType):
        made = cache(lambda: fits(of()))
        return lambda value: made()(value)
    if of is object:
        return lambda value: True
    if of is float:
        return lambda value: type(value) is float or type(value) is int
    kind = type(None) if of is None else of
    return lambda value: type(value) is kind


def _fits_object(named: Mapping[str, Callable[[Any], bool]], others: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def fit(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, item in value.items():  # noqa: SIM110 all(…) takes twice as long, and states are long
            if not named.get(name, others)(item):
                return False
        return True

    return fit


def misfit(of: Shape, value: object, path: str = "") -> Misfit | None:
    """The first part of a value that does not have its shape."""
    if isinstance(of, FunctionType):
        of = of()
    if isinstance(of, tuple):
        return _either(of, value, path)
    if not _is_kind(of, value):
        return Misfit(path, described(of), value)
    return next((wrong for part, name, item in _parts(of, value) if (wrong := misfit(part, item, path + name))), None)


def described(of: Shape) -> str:
    """A shape in words."""
    if isinstance(of, FunctionType):
        return described(of())
    if isinstance(of, tuple):
        return " or ".join(described(one) for one in of)
    if isinstance(of, list):
        return f"a list, each {described(of[0])}"
    if isinstance(of, dict):
        named = [name for name in of if name is not ...][:_MEMBERS_SHOWN]
        return f"an object ({', '.join(named)} …)" if named else "an object"
    return _WORDS[of]


def _either(shapes: tuple[Any, ...], value: object, path: str) -> Misfit | None:
    misfits = [misfit(one, value, path) for one in shapes]
    if None in misfits:
        return None
    # A value that matches at the top but fails further in has the more useful message.
    return next((f for f in misfits if f is not None and f.path != path), Misfit(path, described(shapes), value))


def _is_kind(of: Shape, value: object) -> bool:
    if of is None:
        return value is None
    if of is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if of is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, of if isinstance(of, type) else type(of))


def _parts(of: Shape, value: Any) -> Iterator[tuple[Shape, str, object]]:
    """Yield the items of a list or object for which the shape declares a shape: (shape, path, item)."""
    if isinstance(of, list):
        for i, item in enumerate(value):
            yield of[0], f"[{i}]", item
    elif isinstance(of, dict):
        others = of.get(...)
        for name, item in value.items():
            if name in of:
                yield of[name], f".{name}", item
            elif ... in of:
                yield others, f".{name}", item
