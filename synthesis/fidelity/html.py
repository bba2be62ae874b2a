"""The report as one HTML page that needs nothing else: figures, and each disagreement side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from soundstage.synthesis.fidelity.report import JudgedLine, Report

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_ALIKE = 0.5  # below this share of equal words, two lines that face each other are marked whole
_WORD = re.compile(r"[A-Za-z0-9_]+|.")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line; `marked` when the other side differs there."""

    text: str
    marked: bool


Side = list[Piece] | None
"""One line of a side; None where the side has none."""


@dataclass(frozen=True, slots=True)
class Row:
    """Two lines that face each other."""

    recorded: Side
    ours: Side

    @property
    def equal(self) -> bool:
        """Whether both sides have the same line."""
        return not any(side is None or any(p.marked for p in side) for side in (self.recorded, self.ours))


def render(report: Report, compared: Sequence[str] = ()) -> str:
    """Render the page; `compared` are the lines of the comparison with an earlier report."""
    tables = [(app, report.figures(app)) for app in report.apps()]
    return _TEMPLATES.get_template("report.html.jinja").render(
        figures=[*tables, ("overall", report.figures())] if len(tables) != 1 else tables,
        measured=report.measured(),
        compared=compared,
        disagreements=[(judged, rows(judged)) for judged in report.disagreements()],
        problems=report.problems,
    )


def rows(judged: JudgedLine) -> list[Row]:
    """The two replies as rows, in order."""
    return list(_rows(_lines(judged.comparison.recorded), _lines(judged.comparison.ours)))


def _lines(value: Any) -> list[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
    return text.splitlines()


def _rows(recorded: list[str], ours: list[str]) -> Iterator[Row]:
    for kind, a, b, c, d in SequenceMatcher(None, recorded, ours, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (Row([Piece(line, False)], [Piece(line, False)]) for line in recorded[a:b])
            continue
        left, right = recorded[a:b], ours[c:d]
        for i in range(max(len(left), len(right))):
            if i >= len(right):
                yield Row([Piece(left[i], True)], None)
            elif i >= len(left):
                yield Row(None, [Piece(right[i], True)])
            else:
                yield _facing(left[i], right[i])


def _facing(recorded: str, ours: str) -> Row:
    """Render two different lines with their differences marked."""
    before, after = _WORD.findall(recorded), _WORD.findall(ours)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return Row([Piece(recorded, True)], [Piece(ours, True)])
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if b > a:
            left.append(Piece("".join(before[a:b]), kind != "equal"))
        if d > c:
            right.append(Piece("".join(after[c:d]), kind != "equal"))
    return Row(left, right)
