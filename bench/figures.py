"""The results of a measurement: our figure, the yardstick's, their ratio, and the target."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

Unit = Literal["µs", "ms", "calls/s", "KB"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run measures: rounds of A B A B …, seconds of load per turn, and a folder that is removed afterwards."""

    rounds: int
    seconds: float
    folder: Path


@dataclass(frozen=True, slots=True)
class Bound:
    """A target: a figure, a multiple of the yardstick, or both.

    If a row of the table gives a figure with the yardstick of the same run, `times` is their ratio: on a slower or busier
    machine both grow, and only the ratio is comparable. `at_least` is also a multiple, for figures where more is better.
    """

    at_most: float | None = None
    times: float | None = None
    at_least: float | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a figure over HTTP.

    The wire is the cost of HTTP itself, measured by the bare ASGI server with the same reply. The step is the same call inside
    a process, journal included. The protocol is the rest: guards, the session, MCP, JSON, log line and counters.
    """

    wire: float
    protocol: float
    step: float

    @classmethod
    def of(cls, whole: float, *, wire: float, step: float) -> Parts:
        """Split a measured whole into wire, protocol (the rest) and step."""
        return cls(wire, whole - wire - step, step)

    def text(self, unit: Unit) -> str:
        """Format the parts for the table."""
        return f"wire {self.wire:.3g}, protocol {self.protocol:.3g}, step {self.step:.3g} {unit}"


@dataclass(frozen=True, slots=True)
class Line:
    """One comparison of a row. `ratio` is the median of the rounds' ratios, which drifts less than the figures do."""

    row: str
    what: str
    unit: Unit
    yardstick: str
    yardstick_figure: float
    ours: float
    ratio: float
    bound: Bound
    note: str
    parts: Parts | None = None

    @property
    def reached(self) -> bool:
        """Whether the bound holds: its figure, where it has one."""
        if self.bound.at_most is not None:
            return self.ours <= self.bound.at_most
        return self.reached_by_ratio is True

    @property
    def reached_by_ratio(self) -> bool | None:
        """Whether the bound's multiple of the yardstick holds; None where it has none."""
        if self.bound.at_least is not None:
            return self.ratio >= self.bound.at_least
        return None if self.bound.times is None else self.ratio <= self.bound.times

    def as_json(self) -> dict[str, Any]:
        """Return the line as JSON data."""
        return {
            "row": self.row,
            "what": self.what,
            "unit": self.unit,
            "yardstick": self.yardstick,
            "yardstick_figure": self.yardstick_figure,
            "ours": self.ours,
            "ratio": self.ratio,
            "bound": asdict(self.bound),
            "reached": self.reached,
            "reached_by_ratio": self.reached_by_ratio,
            "note": self.note,
            "parts": None if self.parts is None else asdict(self.parts),
        }


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the speed table."""

    name: str
    what: str
    measure: Callable[[Plan], Coroutine[Any, Any, list[Line]]]


@dataclass(frozen=True, slots=True)
class Series:
    """One thing's figures, a round each."""

    what: str
    figures: Sequence[float]

    @property
    def typical(self) -> float:
        """The median of the figures."""
        return median(self.figures)


def compare(
    row: str,
    ours: Series,
    yardstick: Series,
    *,
    unit: Unit,
    bound: Bound,
    note: str = "",
    parts: Parts | None = None,
) -> Line:
    """A line from two series that were measured in turns."""
    ratios = [a / b for a, b in zip(ours.figures, yardstick.figures, strict=True)]
    return Line(
        row=row,
        what=ours.what,
        unit=unit,
        yardstick=yardstick.what,
        yardstick_figure=yardstick.typical,
        ours=ours.typical,
        ratio=median(ratios),
        bound=bound,
        note=note,
        parts=parts,
    )
