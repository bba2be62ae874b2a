"""Somebody else's code that ran into a limit of time or room, and that a replay has to stop where it was stopped.

How long a script takes hangs on the machine, so what was stopped once might be let through the next time, and the other way
round. The runs of such code are numbered within a call; the numbers of those that were stopped are a step of the journal,
right behind the call's. A replay takes them from there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from soundstage.contexts.engine.journal import Row
    from soundstage.contexts.engine.store import Context

_TOOL = "stopped"


class StoppedRuns(TypedDict):
    """The arguments of such a step: of which call, and which of its runs, counted from 1."""

    step: int
    runs: list[int]


class Runs:
    """The runs of one call. `stopped` are those that were not let through; `known` those of a replay, which are not made
    again, while all others get time enough; None where the machine decides.
    """

    __slots__ = ("known", "made", "stopped")

    def __init__(self, known: Collection[int] | None = None) -> None:
        self.known = known
        self.made = 0
        self.stopped: list[int] = []

    def begin(self) -> int:
        """The number of the run that begins."""
        self.made += 1
        return self.made

    def was_stopped(self, number: int) -> bool:
        """Whether this is a replay of a run that was stopped. It is stopped again, without being made."""
        if self.known is None or number not in self.known:
            return False
        self.stopped.append(number)
        return True


def keep_stopped(context: Context, call: int) -> None:
    """Make the runs of the last call that were stopped a step, at the call's time."""
    made: Any = context.execute("SELECT at FROM _journal WHERE step = ?", (call,)).fetchone()
    told: StoppedRuns = {"step": call, "runs": context.runs.stopped}
    with context.step("limit", _TOOL, told, at_ms=made[0]):
        pass


def with_stopped(rows: Iterable[Row]) -> Iterator[tuple[Row, list[int]]]:
    """The steps of a journal but these, each with its runs that were stopped."""
    left = iter(rows)
    row = next(left, None)
    while row is not None:
        following = next(left, None)
        if following is not None and following.kind == "limit":
            yield row, following.arguments["runs"]
            following = next(left, None)
        else:
            yield row, []
        row = following
