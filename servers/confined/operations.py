"""The requests that a kernel in the confined process may send to the gateway. Every request is checked as hostile input.

A request is a list: the operation's name, then its parameters. Each operation works on the entities of the call's own app,
through the `AppContext` that the gateway's own kernels use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import apsw

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.problems import FILE_ERRORS, UNREADABLE, ContextError
from soundstage.contexts.engine.schema import ABSENT, SqlValue
from soundstage.contexts.engine.table_files import check_id_format

_MOST_NAME = 200
_MOST_KEY = 16
_MOST_CONDITIONS = 32
_MOST_IN_ONE = 1000
_MOST_ORDER = 16
_MOST_FIELDS = 1000
MOST_ROWS = 50_000
"""Objects that one request may return."""
_MOST_NAMES_DRAWN = 100
"""Names of ids and numbers that one call may use: each new one stays in the session's counters."""
_MOST_BITS = 65_536
_MOST_WAIT_MS = 24 * 60 * 60 * 1000
_MOST_INTEGER = 2**63
_TO_KERNEL = ("KeyError", "ValueError", "TypeError", "OverflowError")


class BadRequest(Exception):
    """A request that no honest worker sends."""


class Refusal(Exception):
    """The operation cannot be done; the kernel gets an exception of this kind."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class Operations:
    """The operations of one call."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._drawn: set[str] = set()
        self._known: Mapping[str, Callable[..., Any]] = {
            "get": self._get,
            "list": self._list,
            "first": self._first,
            "count": self._count,
            "keys": self._keys,
            "create": self._create,
            "update": self._update,
            "delete": self._delete,
            "account": self._account,
            "wait": self._wait,
            "new_id": self._new_id,
            "next_number": self._next_number,
            "drawn": self._draw,
            "random": self._random,
            "getrandbits": self._getrandbits,
        }

    def run(self, request: Any) -> Any:
        """Do what a request asks, and return what is sent back.

        Raises:
            BadRequest: it is not a request.
            Refusal: it is one, and cannot be done.
            apsw.Error, ContextError, UnicodeDecodeError, orjson.JSONDecodeError: the context cannot be used.
        """
        if not isinstance(request, list) or not request or not isinstance(request[0], str):
            raise BadRequest("a request is a list that begins with the name of an operation")
        operation = self._known.get(request[0])
        if operation is None:
            raise BadRequest(f"there is no operation {request[0][:40]!r}; known: {', '.join(self._known)}")
        if len(request) - 1 != _PARAMETERS[request[0]]:
            raise BadRequest(f"{request[0]} takes {_PARAMETERS[request[0]]} parameters, not {len(request) - 1}")
        try:
            return operation(*request[1:])
        except (BadRequest, ContextError, *FILE_ERRORS, *UNREADABLE):
            raise
        except (LookupError, ValueError, TypeError, OverflowError, apsw.Error, RecursionError) as error:
            kind = next((name for name in _TO_KERNEL if type(error).__name__ == name), "ContextRefused")
            message = error.args[0] if len(error.args) == 1 else error
            raise Refusal(kind, str(message)[:1000]) from None

    # -- objects ----------------------------------------------------------------------------------------------------

    def _get(self, entity: Any, key: Any) -> Any:
        return self._context.get(_name(entity), _key(key))

    def _list(self, entity: Any, where: Any, order: Any, limit: Any, offset: Any) -> Any:
        wanted = None if limit is None else _integer(limit)
        at_most = MOST_ROWS + 1 if wanted is None or wanted < 0 else min(wanted, MOST_ROWS + 1)
        # Without a limit the same statement runs as for a kernel of the package.
        rows = self._context.list(
            _name(entity), _where(where), order=_order(order), limit=at_most, offset=_integer(offset)
        )
        if len(rows) > MOST_ROWS:
            raise Refusal("ValueError", f"{entity} has more than {MOST_ROWS:,} such objects; give a limit")
        return rows

    def _first(self, entity: Any, where: Any, order: Any) -> Any:
        return self._context.first(_name(entity), _where(where), order=_order(order))

    def _count(self, entity: Any, where: Any) -> Any:
        return self._context.count(_name(entity), _where(where))

    def _keys(self, entity: Any, where: Any) -> Any:
        if self._context.count(_name(entity), _where(where)) > MOST_ROWS:
            raise Refusal("ValueError", f"{entity} has more than {MOST_ROWS:,} such objects")
        return self._context.keys(_name(entity), _where(where))

    def _create(self, entity: Any, value: Any) -> Any:
        return self._context.create(_name(entity), _fields(value))

    def _update(self, entity: Any, key: Any, changes: Any, absent: Any) -> Any:
        changed = _fields(changes)
        for name in _names(absent):
            changed[name] = ABSENT
        return self._context.update(_name(entity), _key(key), changed)

    def _delete(self, entity: Any, key: Any) -> Any:
        return self._context.delete(_name(entity), _key(key))

    # -- the session ------------------------------------------------------------------------------------------------

    def _account(self) -> Any:
        return self._context.account

    def _wait(self, ms: Any) -> None:
        if not 0 <= _integer(ms) <= _MOST_WAIT_MS:
            raise Refusal("ValueError", f"a call waits between 0 and {_MOST_WAIT_MS} ms, not {ms}")
        self._context.wait(ms)

    def _new_id(self, name: Any, template: Any) -> Any:
        if template is not None:
            if not isinstance(template, str):
                raise BadRequest("a template is a text")
            check_id_format(template)
        return self._context.new_id(self._counter(name), template)

    def _next_number(self, name: Any) -> Any:
        return self._context.next_number(self._counter(name))

    def _draw(self, name: Any) -> Any:
        return self._context.drawn(_name(name))

    def _random(self) -> Any:
        return self._context.random.random()

    def _getrandbits(self, bits: Any) -> Any:
        if not 0 <= _integer(bits) <= _MOST_BITS:
            raise Refusal("ValueError", f"between 0 and {_MOST_BITS} random bits can be drawn, not {bits}")
        return self._context.random.getrandbits(bits)

    def _counter(self, name: Any) -> str:
        """Check the name of a counter: their number in a call is limited."""
        self._drawn.add(_name(name))
        if len(self._drawn) > _MOST_NAMES_DRAWN:
            raise Refusal("ValueError", f"a call draws ids and numbers of at most {_MOST_NAMES_DRAWN} names")
        return str(name)


_PARAMETERS: Mapping[str, int] = {
    "get": 2, "list": 5, "first": 3, "count": 2, "keys": 2, "create": 2, "update": 4, "delete": 2, "account": 0, "wait": 1,
    "new_id": 2, "next_number": 1, "drawn": 1, "random": 0, "getrandbits": 1,
}  # fmt: skip


def _name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_NAME:
        raise BadRequest(f"a name is a text of at most {_MOST_NAME} characters")
    return value


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST_FIELDS:
        raise BadRequest("expected a list of names")
    return [_name(one) for one in value]


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -_MOST_INTEGER <= value < _MOST_INTEGER:
        raise Refusal("TypeError", f"expected a whole number of 64 bits, got {str(value)[:40]}")
    return value


def _key(value: Any) -> tuple[SqlValue, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= _MOST_KEY:
        raise BadRequest("a key is a list of its columns' values")
    for one in value:
        if isinstance(one, dict | list):
            raise Refusal("TypeError", f"a key is made of texts and numbers, not {type(one).__name__}")
    return tuple(value)


def _where(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > _MOST_CONDITIONS:
        raise BadRequest(f"`where` is an object of at most {_MOST_CONDITIONS} conditions")
    for condition, wanted in value.items():
        _name(condition)
        if condition.endswith(" in"):
            if not isinstance(wanted, list):
                raise Refusal("TypeError", f"{condition} needs a list")
            if len(wanted) > _MOST_IN_ONE:
                raise Refusal("ValueError", f"{condition} takes at most {_MOST_IN_ONE} values, not {len(wanted)}")
    return value


def _order(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST_ORDER:
        raise BadRequest(f"`order` is a list of at most {_MOST_ORDER} fields")
    return [_name(one) for one in value]


def _fields(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > _MOST_FIELDS:
        raise BadRequest(f"an object has at most {_MOST_FIELDS} fields")
    return dict(value)
