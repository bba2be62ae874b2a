"""The one writer of CSV. Spreadsheets run cells that look like formulas, and agents choose the names and texts in our tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

_FORMULA = re.compile(r"\s*[=+\-@\t\r]")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def neutralize(cell: object) -> object:
    """Return a cell that no spreadsheet runs: an apostrophe precedes a text that begins like a formula and is not a number."""
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def csv_lines(names: Sequence[str], rows: Iterable[Sequence[object]], *, end: str = "\r\n") -> Iterator[str]:
    """Yield the lines of a table, its column names first, each with `end` behind it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=end)
    writer.writerow([neutralize(name) for name in names])
    for row in rows:
        writer.writerow([neutralize(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()
