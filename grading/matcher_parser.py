"""Parse the matchers of task files; the message of a `ValueError` describes the valid form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from soundstage.grading.matchers import (
    AnyOf,
    Bind,
    Equal,
    Items,
    Matcher,
    Not,
    NumberIs,
    Pattern,
    Ref,
    Says,
    Slot,
    Span,
    Text,
    TimeIs,
    Words,
    seconds_of,
)
from soundstage.grading.texts.numbers import number_of


def parse_matcher(written: object) -> Matcher:
    """Parse one matcher, including nested ones."""
    if not isinstance(written, Mapping) or not written:
        raise ValueError(f"{written!r} is not a matcher; write one such as {{eq: {written!r}}}")
    kinds = [k for k in written if k != "bind"]
    if len(kinds) != 1 or kinds[0] not in _READERS:
        known = ", ".join(_READERS)
        raise ValueError(
            f"a matcher has one kind, and {' and '.join(map(repr, kinds)) or 'none'} is given; kinds: {known}"
        )
    matcher = _READERS[kinds[0]](written[kinds[0]])
    if "bind" not in written:
        return matcher
    name = written["bind"]
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"bind {name!r} is not a name; write it without $, and refer to it later as ${name}")
    return Bind(matcher, name)


def _text(written: object) -> Text:
    if not isinstance(written, str):
        raise ValueError(f"text: expected a text, got {written!r}")
    return Text(written)


def _says(written: object) -> Says:
    if not isinstance(written, list) or not written:
        raise ValueError(
            f"says: expected a list of slots, such as [[dry run, 彩排], {{time: $start}}], got {written!r}"
        )
    return Says(tuple(_slot(slot) for slot in written))


def _slot(written: Any) -> Slot:
    match written:
        case str():
            return Words((written,))
        case list() if written and all(isinstance(w, str | int) for w in written):
            return Words(tuple(str(w) for w in written))
        case {"not": (str() | list()) as none} if len(written) == 1:
            return Words((none,) if isinstance(none, str) else tuple(str(w) for w in none), absent=True)
        case {"time": at} if len(written) == 1:
            return _time(at)
        case {"number": number} if len(written) == 1:
            return _number(number)
    raise ValueError(
        f"{written!r} is not a slot; use a phrase, a list of phrases, {{time: …}}, {{number: …}} or {{not: [phrases]}}"
    )


def _number(written: object) -> NumberIs:
    given: dict[str, Any] = dict(written) if isinstance(written, Mapping) else {"is": written}
    _only(given, "number", {"is", "tolerance", "unit"})
    value = given.get("is")
    if not (isinstance(value, str) and value.startswith("$")) and number_of(value) is None:
        raise ValueError(f"number: {value!r} is not a number")
    unit = given.get("unit", [])
    units = [unit] if isinstance(unit, str) else list(unit)
    assert isinstance(value, str | int | float)
    return NumberIs(value, float(given.get("tolerance", 0)), tuple(str(u) for u in units))


def _time(written: object) -> TimeIs:
    given: dict[str, Any] = dict(written) if isinstance(written, Mapping) else {"is": written}
    _only(given, "time", {"is", "one_of", "from", "to", "after", "by", "tolerance", "beside"})
    beside = tuple(_span(each) for each in _list(given.get("beside", []), "time: beside"))
    tolerance = seconds_of(str(given["tolerance"])) if "tolerance" in given else 0
    if "after" in given:
        by = seconds_of(str(given.get("by", "0m")))
        return TimeIs(after=_when(given["after"]), by_s=by, tolerance_s=tolerance, beside=beside)
    if "one_of" in given:
        return TimeIs(tuple(_span(each) for each in given["one_of"]), tolerance_s=tolerance, beside=beside)
    span = _span(given if "from" in given or "to" in given else given.get("is"))
    return TimeIs((span,), tolerance_s=tolerance, beside=beside)


def _span(written: object) -> Span:
    if isinstance(written, Mapping):
        if not {"from", "to"} <= written.keys():
            raise ValueError(f"time: a span has from and to, got {dict(written)!r}")
        return Span(_when(written["from"]), _when(written["to"]))
    moment = _when(written)
    return Span(moment, moment)


_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?")


def _when(written: object) -> str:
    if not isinstance(written, str) or not (written.startswith("$") or _MOMENT.fullmatch(written)):
        raise ValueError(f'time: {written!r} is not a time; valid forms are "2026-12-01 14:30", "2026-12-01" and $name')
    return written


def _name(written: object) -> str:
    if not isinstance(written, str):
        raise ValueError(f"ref: expected a name of the task or a person, got {written!r}")
    return written


def _list(written: object, kind: str) -> list[Any]:
    if not isinstance(written, list):
        raise ValueError(f"{kind}: expected a list, got {written!r}")
    return written


def _item(written: object) -> Matcher:
    return parse_matcher(written) if isinstance(written, Mapping) else Equal(written)


def _items(kind: Literal["set", "ordered", "contains", "lacks"]) -> Callable[[Any], Items]:
    def read(written: Any) -> Items:
        many = written if isinstance(written, list) and kind in ("set", "ordered") else [written]
        return Items(
            kind, tuple(_item(each) for each in (_list(written, kind) if kind in ("set", "ordered") else many))
        )

    return read


def _pattern(written: object) -> Pattern:
    try:
        re.compile(str(written))
    except re.error as error:
        raise ValueError(f"matches: {written!r} is not a regular expression ({error})") from None
    return Pattern(str(written))


def _only(given: Mapping[str, Any], kind: str, known: set[str]) -> None:
    if strange := given.keys() - known:
        raise ValueError(f"{kind}: {min(strange)!r} is not known here; known: {', '.join(sorted(known))}")


_READERS: dict[str, Callable[[Any], Matcher]] = {
    "eq": Equal,
    "text": _text,
    "says": _says,
    "number": _number,
    "time": _time,
    "ref": lambda written: Ref(_name(written)),
    "refs": lambda written: Items("set", tuple(Ref(_name(each)) for each in _list(written, "refs"))),
    "set": _items("set"),
    "contains": _items("contains"),
    "lacks": _items("lacks"),
    "ordered": _items("ordered"),
    "matches": _pattern,
    "any_of": lambda written: AnyOf(tuple(parse_matcher(each) for each in _list(written, "any_of"))),
    "not": lambda written: Not(parse_matcher(written)),
}
