"""JsonLogic as evaluated by json-logic-js 2.0.5, with JavaScript's coercions and the plugin's `glob` and `regexp`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from soundstage.kernels.engines import javascript as js
from soundstage.kernels.engines.javascript import UNDEFINED
from soundstage.kernels.obsidian.rules.patterns import finds, matches_glob

_DEEPEST: Final = 150  # maximum nesting of a rule; arguments of a call are limited to 200 levels
_FREE_SIZE: Final = 100  # characters or items that an operation processes without an additional step


class LogicError(Exception):
    """An exception of the library; the message is the exception's."""


class Exhausted(Exception):
    """A rule would run for longer than a client waits."""


@dataclass(slots=True)
class Budget:
    """The remaining steps of a search over all notes: about 0.2 s of CPU, well within the budget of a call.

    The real library executes millions per second, and its client waits for six seconds.
    """

    steps: int = 150_000

    def spend(self, steps: int = 1) -> None:
        """Use up steps.

        Raises:
            Exhausted: No steps are left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise Exhausted


def apply(rule: Any, data: Any, budget: Budget) -> Any:
    """Return the result of a rule; `UNDEFINED` represents JavaScript's undefined.

    Raises:
        LogicError: The library throws.
        BadPattern: The rule contains an invalid regular expression.
        Exhausted: The rule ran for too long.
    """
    return _apply(rule, data, budget, 0)


def truthy(value: Any) -> bool:
    """Return JsonLogic's truth value: an empty list is false."""
    return js.is_true(value) and value != []


def _apply(rule: Any, data: Any, budget: Budget, depth: int) -> Any:
    budget.spend()
    if depth > _DEEPEST:
        raise LogicError("Maximum call stack size exceeded")
    if isinstance(rule, list):
        return [_apply(item, data, budget, depth + 1) for item in rule]
    if not isinstance(rule, dict) or len(rule) != 1:
        return rule
    ((name, values),) = rule.items()
    values = values if isinstance(values, list) else [values]

    def work(item: Any, on: Any = data) -> Any:
        return _apply(item, on, budget, depth + 1)

    if name in _LAZY:
        return _LAZY[name](values, work)
    values = [work(value) for value in values]
    budget.spend(sum(len(v) for v in values if isinstance(v, str | list)) // _FREE_SIZE)
    if name in _BY_DATA:
        return _BY_DATA[name](data, values)
    if name in _OPERATIONS:
        return _OPERATIONS[name](*values)
    first = name.split(".")[0]
    if name.find(".") > 0 and first not in _KNOWN:
        raise LogicError(f"Unrecognized operation {name} (failed at {first})")
    if name.find(".") > 0:
        raise LogicError(f"Unrecognized operation {name} (failed at {'.'.join(name.split('.')[:2])})")
    raise LogicError(f"Unrecognized operation {name}")


Work = Callable[..., Any]


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else UNDEFINED


def _if(values: list[Any], work: Work) -> Any:
    for i in range(0, len(values) - 1, 2):
        if truthy(work(values[i])):
            return work(values[i + 1])
    return work(values[-1]) if len(values) % 2 else None


def _and(values: list[Any], work: Work) -> Any:
    current: Any = UNDEFINED
    for value in values:
        current = work(value)
        if not truthy(current):
            return current
    return current


def _or(values: list[Any], work: Work) -> Any:
    current: Any = UNDEFINED
    for value in values:
        current = work(value)
        if truthy(current):
            return current
    return current


def _filter(values: list[Any], work: Work) -> Any:
    items = work(_at(values, 0))
    return [i for i in items if truthy(work(_at(values, 1), i))] if isinstance(items, list) else []


def _map(values: list[Any], work: Work) -> Any:
    items = work(_at(values, 0))
    return [work(_at(values, 1), item) for item in items] if isinstance(items, list) else []


def _reduce(values: list[Any], work: Work) -> Any:
    items = work(_at(values, 0))
    result = work(values[2]) if len(values) > 2 else None
    for item in items if isinstance(items, list) else ():
        result = work(_at(values, 1), {"current": item, "accumulator": result})
    return result


def _all(values: list[Any], work: Work) -> bool:
    items = work(_at(values, 0))
    return isinstance(items, list) and bool(items) and all(truthy(work(_at(values, 1), item)) for item in items)


def _some(values: list[Any], work: Work) -> bool:
    items = work(_at(values, 0))
    return isinstance(items, list) and any(truthy(work(_at(values, 1), item)) for item in items)


def _none(values: list[Any], work: Work) -> bool:
    return not _some(values, work)


_LAZY: dict[str, Callable[[list[Any], Work], Any]] = {
    "if": _if, "?:": _if, "and": _and, "or": _or, "filter": _filter, "map": _map, "reduce": _reduce, "all": _all,
    "some": _some, "none": _none,
}  # fmt: skip


def _var(data: Any, values: list[Any]) -> Any:
    path, default = _at(values, 0), _at(values, 1)
    missing = None if default is UNDEFINED else default
    if path is UNDEFINED or path is None or path == "":
        return data
    for name in js.text(path).split("."):
        if data is None or data is UNDEFINED:
            return missing
        data = _member(data, name)
        if data is UNDEFINED:
            return missing
    return data


def _member(value: Any, name: str) -> Any:
    """Return `value[name]`."""
    if isinstance(value, dict):
        return value.get(name, UNDEFINED)
    if isinstance(value, str | list):
        if name == "length":
            return js.utf16_length(value) if isinstance(value, str) else len(value)
        if name.isdecimal() and name.isascii() and len(name) < 20 and str(int(name)) == name:
            size = js.utf16_length(value) if isinstance(value, str) else len(value)
            if int(name) < size:
                return js.utf16_slice(value, int(name), int(name) + 1) if isinstance(value, str) else value[int(name)]
    return UNDEFINED


def _named(data: Any, name: Any) -> Any:
    """Return the result of `{"var": name}`."""
    return _var(data, name if isinstance(name, list) else [name])


def _missing(data: Any, values: list[Any]) -> list[Any]:
    names = values[0] if values and isinstance(values[0], list) else values
    return [name for name in names if _named(data, name) in (None, "")]


def _missing_some(data: Any, values: list[Any]) -> list[Any]:
    needed, options = _at(values, 0), _at(values, 1)
    if options is None or options is UNDEFINED:
        raise LogicError(f"Cannot read properties of {js.text(options)} (reading 'length')")
    missing = _missing(data, options if isinstance(options, list) else [options])
    size = _member(options, "length")
    return [] if js.less(needed, js.to_number(size) - len(missing), or_equal=True) else missing


_BY_DATA: dict[str, Callable[[Any, list[Any]], Any]] = {"var": _var, "missing": _missing, "missing_some": _missing_some}


def _in(part: Any = UNDEFINED, whole: Any = UNDEFINED, *_: Any) -> bool:
    if isinstance(whole, str):
        return bool(whole) and js.text(part) in whole
    return isinstance(whole, list) and any(js.same(item, part) for item in whole)


def _less(a: Any = UNDEFINED, b: Any = UNDEFINED, c: Any = UNDEFINED, *_: Any) -> bool:
    return js.less(a, b) and (c is UNDEFINED or js.less(b, c))


def _at_most(a: Any = UNDEFINED, b: Any = UNDEFINED, c: Any = UNDEFINED, *_: Any) -> bool:
    return js.less(a, b, or_equal=True) and (c is UNDEFINED or js.less(b, c, or_equal=True))


def _cat(*parts: Any) -> str:
    return "".join("" if part is None or part is UNDEFINED else js.text(part) for part in parts)


def _substr(source: Any = UNDEFINED, start: Any = UNDEFINED, length: Any = UNDEFINED, *_: Any) -> str:
    text = js.text(source)
    size = js.utf16_length(text)
    first = _whole(start)
    first = max(size + first, 0) if first < 0 else first
    if length is UNDEFINED:
        end: float = size
    else:
        end = size + _whole(length) if js.less(length, 0) else first + _whole(length)
    last = min(end, size)
    return js.utf16_slice(text, int(min(first, size)), int(last)) if last > first else ""


def _whole(value: Any) -> float:
    """Convert a number like `substr`: without its fraction, NaN as 0."""
    number = js.to_number(value)
    return 0 if math.isnan(number) else number if math.isinf(number) else int(number)


def _plus(*values: Any) -> float:
    total: float = 0
    for value in values:
        total += js.parse_float(value)
    return js.number(total)


def _times(*values: Any) -> Any:
    if not values:
        raise LogicError("Reduce of empty array with no initial value")
    result = values[0]
    for value in values[1:]:
        result = js.number(float(js.parse_float(result)) * float(js.parse_float(value)))
    return result


def _minus(a: Any = UNDEFINED, b: Any = UNDEFINED, *_: Any) -> float:
    return js.number(-float(js.to_number(a)) if b is UNDEFINED else float(js.to_number(a)) - float(js.to_number(b)))


def _divided(a: Any = UNDEFINED, b: Any = UNDEFINED, *_: Any) -> float:
    over, under = float(js.to_number(a)), float(js.to_number(b))
    if under:
        return js.number(over / under)
    return math.nan if over == 0 or math.isnan(over) else math.copysign(math.inf, over) * math.copysign(1, under)


def _remainder(a: Any = UNDEFINED, b: Any = UNDEFINED, *_: Any) -> float:
    over, under = float(js.to_number(a)), float(js.to_number(b))
    return math.nan if under == 0 or math.isinf(over) else js.number(math.fmod(over, under))


def _extreme(pick: Callable[[list[float]], float], empty: float) -> Callable[..., float]:
    def extreme(*values: Any) -> float:
        numbers: list[float] = [js.to_number(value) for value in values]
        return math.nan if any(map(math.isnan, numbers)) else pick(numbers) if numbers else empty

    return extreme


def _merge(*values: Any) -> list[Any]:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _glob(pattern: Any = UNDEFINED, text: Any = UNDEFINED, *_: Any) -> bool:
    return isinstance(text, str) and isinstance(pattern, str) and matches_glob(pattern, text)


def _regexp(pattern: Any = UNDEFINED, text: Any = UNDEFINED, *_: Any) -> bool:
    return isinstance(text, str) and isinstance(pattern, str) and finds(pattern, text)


def _of_two(decide: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    def operation(a: Any = UNDEFINED, b: Any = UNDEFINED, *_: Any) -> bool:
        return decide(a, b)

    return operation


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "==": _of_two(js.equal),
    "===": _of_two(js.same),
    "!=": _of_two(lambda a, b: not js.equal(a, b)),
    "!==": _of_two(lambda a, b: not js.same(a, b)),
    ">": _of_two(lambda a, b: js.less(b, a)),
    ">=": _of_two(lambda a, b: js.less(b, a, or_equal=True)),
    "<": _less,
    "<=": _at_most,
    "!!": lambda a=UNDEFINED, *_: truthy(a),
    "!": lambda a=UNDEFINED, *_: not truthy(a),
    "%": _remainder,
    "log": lambda a=UNDEFINED, *_: a,
    "in": _in,
    "cat": _cat,
    "substr": _substr,
    "+": _plus,
    "*": _times,
    "-": _minus,
    "/": _divided,
    "min": _extreme(min, math.inf),
    "max": _extreme(max, -math.inf),
    "merge": _merge,
    "glob": _glob,
    "regexp": _regexp,
}
_KNOWN = frozenset(_OPERATIONS) | frozenset(_BY_DATA)
