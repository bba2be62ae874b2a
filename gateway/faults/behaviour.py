"""Flexibility: whether an agent changed its behaviour after a fault."""

from __future__ import annotations

from collections import Counter

from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.intent import ObservedCall, inspects, is_alternative

_NEXT = 3  # number of calls in which a change of plan shows

Tool = tuple[str | None, str]


class AgentBehaviour:
    """The behaviour of a session's agent.

    It changed its plan after a fault if one of its next three calls is another way to the same goal (another tool with the same
    effect on the same entity, about the same object) or reads the object of the hit call. Calls that it would have made anyway
    do not count: calls it had already made with the same arguments, and calls that usually follow successful calls of the hit
    tool at that position.
    """

    def __init__(self, context: Context, calls: list[ObservedCall]) -> None:
        self._context = context
        self._calls = calls
        self._first_position: dict[bytes, int] = {}
        self._undisturbed: Counter[Tool] = Counter()
        self._followed: Counter[tuple[Tool, int, Tool]] = Counter()
        for i, one in enumerate(calls):
            self._first_position.setdefault(one.words, i)
            if not one.was_hit:
                self._undisturbed[_tool(one)] += 1
                self._followed.update((_tool(one), distance, _tool(other)) for distance, other in self._next(i))

    def changed_after(self, call: int) -> bool:
        """Whether the agent changed its plan after the call with this number, which a fault hit."""
        one = self._calls[call]
        return any(
            self._is_new(call + distance, other)
            and not self._is_habit(one, distance, other)
            and (is_alternative(one, other) or inspects(self._context, one, other))
            for distance, other in self._next(call)
        )

    def _next(self, call: int) -> enumerate[ObservedCall]:
        return enumerate(self._calls[call + 1 : call + 1 + _NEXT], 1)

    def _is_new(self, place: int, one: ObservedCall) -> bool:
        return self._first_position[one.words] == place

    def _is_habit(self, one: ObservedCall, distance: int, other: ObservedCall) -> bool:
        followed = self._followed[_tool(one), distance, _tool(other)]
        return followed > 0 and 2 * followed >= self._undisturbed[_tool(one)]


def _tool(one: ObservedCall) -> Tool:
    return one.row.app, one.name
