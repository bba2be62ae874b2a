"""Runs of code that exceeded a limit of time or memory, and that a replay must stop where they were stopped.

How long a run takes depends on the machine, so a run that was stopped once might finish the next time, and the other way
round. There are two kinds: the scripts that a browser runs, and the kernel itself, which has a CPU budget (see `budget`).
Each run has a number within its call. The numbers of the runs that were stopped are written to the journal as a step of kind
`limit` right after the call's step, and a replay reads them from there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

if TYPE_CHECKING:
    from soundstage.contexts.engine.journal import Row
    from soundstage.contexts.engine.store import Context

_TOOL = "stopped"


class StoppedExecutions(TypedDict):
    """The arguments of a `limit` step: the call's step, and the numbers of its runs that were stopped."""

    step: int
    runs: list[int]


class KernelExecution(NamedTuple):
    """A run of the call's kernel: its number, and the call's scripts before it."""

    number: int
    scripts: int
    stopped: int


class Executions:
    """The runs of one call.

    Scripts are numbered from 1 upwards, the runs of the kernel (a fault may cause several) from -1 downwards. `stopped` are
    the runs that exceeded their limit. `known` are those that a replay reads from the journal: they are not made again, and
    all others get enough time; None outside of a replay.
    """

    __slots__ = ("kernels", "known", "made", "stopped")

    def __init__(self, known: Collection[int] | None = None) -> None:
        self.known = known
        self.made = 0
        self.kernels = 0
        self.stopped: list[int] = []

    def begin_kernel(self) -> KernelExecution:
        """Number the run of the kernel that begins."""
        self.kernels += 1
        return KernelExecution(-self.kernels, self.made, len(self.stopped))

    def must_stop(self, run: KernelExecution) -> bool:
        """Return whether a replay must stop this run without making it."""
        return self.known is not None and run.number in self.known

    def stop_kernel(self, run: KernelExecution) -> None:
        """Record a run of the kernel as stopped. Its scripts do not count: a replay does not run them."""
        self.made = run.scripts
        del self.stopped[run.stopped :]
        self.stopped.append(run.number)

    def begin(self) -> int:
        """Return the number of the starting run."""
        self.made += 1
        return self.made

    def was_stopped(self, number: int) -> bool:
        """Return whether this is a replay of a stopped run, which is stopped again without being executed."""
        if self.known is None or number not in self.known:
            return False
        self.stopped.append(number)
        return True


def record_stopped(context: Context, call: int) -> None:
    """Record the stopped runs of the last call as a step, at the call's time."""
    made: Any = context.execute("SELECT at FROM _journal WHERE step = ?", (call,)).fetchone()
    arguments: StoppedExecutions = {"step": call, "runs": context.executions.stopped}
    with context.step("limit", _TOOL, arguments, at_ms=made[0]):
        pass


def rows_with_stopped(rows: Iterable[Row]) -> Iterator[tuple[Row, list[int]]]:
    """Yield the steps of a journal without `limit` steps, each with its stopped runs."""
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
