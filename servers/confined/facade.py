"""The `AppContext` that a kernel in the confined process imports: each method is a request to the gateway.

The methods have the names, parameters and results of `soundstage.contexts.engine.app_context.AppContext`; a test compares them.
"""

from __future__ import annotations

import builtins
import random as randomness
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Object = dict[str, Any]
Ask = Callable[..., Any]
TIME = datetime
"""The class of the times that kernels get."""


class Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
"""Given to `AppContext.update`: the field goes away."""


class ContextRefused(Exception):
    """The gateway could not do what a kernel asked for, such as create an object whose key exists."""


_RAISED: Mapping[str, type[Exception]] = {
    "KeyError": KeyError,
    "ValueError": ValueError,
    "TypeError": TypeError,
    "OverflowError": OverflowError,
}


def raised(name: str, message: str) -> Exception:
    """The exception that a kernel gets for a refused request."""
    return _RAISED.get(name, ContextRefused)(message)


class AppContext:
    """One app's objects, the session's clock, ids and randomness, as the gateway gives them."""

    def __init__(self, ask: Ask, now_ms: int) -> None:
        self._ask = ask
        self._now = TIME(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=now_ms)
        self._random: randomness.Random | None = None

    def get(self, entity: str, key: Any) -> Object | None:
        answer: Object | None = self._ask("get", entity, _key(key))
        return answer

    def list(
        self,
        entity: str,
        where: Mapping[str, Any] | None = None,
        *,
        order: Sequence[str] | str = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> builtins.list[Object]:
        answer: builtins.list[Object] = self._ask("list", entity, _where(where), _order(order), limit, offset)
        return answer

    def first(
        self, entity: str, where: Mapping[str, Any] | None = None, *, order: Sequence[str] | str = ()
    ) -> Object | None:
        answer: Object | None = self._ask("first", entity, _where(where), _order(order))
        return answer

    def count(self, entity: str, where: Mapping[str, Any] | None = None) -> int:
        return int(self._ask("count", entity, _where(where)))

    def keys(self, entity: str, where: Mapping[str, Any] | None = None) -> Sequence[tuple[Any, ...]]:
        return [tuple(key) for key in self._ask("keys", entity, _where(where))]

    def create(self, entity: str, value: Object) -> Object:
        plain, absent = _fields(value)
        made: Object = self._ask("create", entity, plain)
        return {**made, **dict.fromkeys(absent, ABSENT)} if absent else made

    def update(self, entity: str, key: Any, changes: Object) -> Object:
        plain, absent = _fields(changes)
        changed: Object = self._ask("update", entity, _key(key), plain, absent)
        return changed

    def delete(self, entity: str, key: Any) -> bool:
        return bool(self._ask("delete", entity, _key(key)))

    @property
    def account(self) -> str | None:
        account: str | None = self._ask("account")
        return account

    def now(self) -> datetime:
        return self._now

    def wait(self, ms: int) -> None:
        self._ask("wait", ms)

    def new_id(self, name: str, template: str | None = None) -> str:
        return str(self._ask("new_id", name, template))

    def next_number(self, name: str) -> int:
        return int(self._ask("next_number", name))

    def drawn(self, name: str) -> int:
        return int(self._ask("drawn", name))

    @property
    def random(self) -> randomness.Random:
        if self._random is None:
            self._random = _Forwarded(self._ask)
        return self._random


class _Forwarded(randomness.Random):
    """Random numbers that the gateway draws; Python derives all others from these two."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        super().__init__(0)

    def random(self) -> float:
        return float(self._ask("random"))

    def getrandbits(self, k: int, /) -> int:
        return int(self._ask("getrandbits", k))


def _key(key: Any) -> builtins.list[Any]:
    return [*key] if isinstance(key, tuple) else [key]


def _where(where: Mapping[str, Any] | None) -> Object | None:
    if where is None:
        return None
    return {name: _listed(value) for name, value in where.items()}


def _listed(value: Any) -> Any:
    plain = isinstance(value, str | int | float | bool | dict | builtins.list | None)
    return value if plain else [*value]  # `in` takes any collection


def _order(order: Sequence[str] | str) -> builtins.list[str]:
    return [order] if isinstance(order, str) else [*order]


def _fields(value: Mapping[str, Any]) -> tuple[Object, builtins.list[str]]:
    """Return the fields that have a value, and the names of the fields that are `ABSENT`."""
    absent = [name for name, item in value.items() if item is ABSENT]
    return {name: item for name, item in value.items() if item is not ABSENT}, absent
