"""The unified diff of two texts, like `createTwoFilesPatch` of npm's `diff` 8.

It has four lines of context and makes the same choice among diffs of equal length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_CONTEXT = 4
_MOST_CHANGES = 500
"""Maximum number of differing lines; beyond it the middle becomes one change. The original has no limit."""
_UNDERLINE = "=" * 67
_NO_NEWLINE = "\\ No newline at end of file"

Sign = Literal[" ", "+", "-"]


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive lines that are in both texts, or only in the new or the old one."""

    sign: Sign
    lines: list[str]


def patch(name: str, old: str, new: str) -> str:
    """Return the diff of two contents of the file `name`, labelled `original` and `modified`."""
    entries = [f"Index: {name}", _UNDERLINE, f"--- {name}\toriginal", f"+++ {name}\tmodified"]
    for hunk in _hunks(_runs(_lines(old), _lines(new))):
        entries += hunk
    return "\n".join(entries) + "\n"


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _runs(old: list[str], new: list[str]) -> list[_Run]:
    """Return how the old lines become the new ones."""
    start = 0
    while start < len(old) and start < len(new) and old[start] == new[start]:
        start += 1
    signs = _shortest(old[start:], new[start:])
    runs = [_Run(" ", old[:start])] if start else []
    at_old = at_new = start
    for sign, count in signs:
        if sign == "+":
            runs.append(_Run("+", new[at_new : at_new + count]))
        else:
            runs.append(_Run(sign, old[at_old : at_old + count]))
        at_old += count * (sign != "+")
        at_new += count * (sign != "-")
    return runs


_Trail = tuple[Sign, int, "_Trail | None"]
"""The last operation, its number of lines, and the preceding operations."""


def _shortest(old: list[str], new: list[str]) -> list[tuple[Sign, int]]:
    """Return the shortest edit script by Myers' greedy algorithm; on ties, deletions come first."""
    paths: dict[int, tuple[int, _Trail | None]] = {0: (0, None)}
    low, high = -len(new) - len(old), len(new) + len(old)
    for length in range(1, _MOST_CHANGES):
        for diagonal in range(max(low, -length), min(high, length) + 1, 2):
            remove, add = paths.pop(diagonal - 1, None), paths.get(diagonal + 1)
            can_add = add is not None and 0 <= add[0] - diagonal - 1 < len(new)
            can_remove = remove is not None and remove[0] < len(old)
            if add is not None and can_add and not (remove is not None and can_remove and remove[0] >= add[0]):
                at, trail = add[0], _longer(add[1], "+")
            elif remove is not None and can_remove:
                at, trail = remove[0] + 1, _longer(remove[1], "-")
            else:
                paths.pop(diagonal, None)
                continue
            begin = at
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            if at > begin:
                trail = (" ", at - begin, trail)
            if at >= len(old) and at - diagonal >= len(new):
                return _signs(trail)
            paths[diagonal] = at, trail
            if at >= len(old):
                high = min(high, diagonal - 1)
            if at - diagonal >= len(new):
                low = max(low, diagonal + 1)
    return _all_but_the_end(old, new)


def _longer(trail: _Trail | None, sign: Sign) -> _Trail:
    return (sign, trail[1] + 1, trail[2]) if trail is not None and trail[0] == sign else (sign, 1, trail)


def _signs(trail: _Trail | None) -> list[tuple[Sign, int]]:
    steps: list[tuple[Sign, int]] = []
    while trail is not None:
        steps.append((trail[0], trail[1]))
        trail = trail[2]
    return steps[::-1]


def _all_but_the_end(old: list[str], new: list[str]) -> list[tuple[Sign, int]]:
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    steps: list[tuple[Sign, int]] = [("-", len(old) - same), ("+", len(new) - same), (" ", same)]
    return [(sign, count) for sign, count in steps if count]


def _hunks(runs: list[_Run]) -> Iterator[list[str]]:
    """Yield the hunks of a diff as lines. Changes are joined if at most twice the context separates them."""
    at_old = at_new = 1
    begin: tuple[int, int] | None = None
    lines: list[str] = []
    for i, run in enumerate(runs):
        if run.sign != " ":
            if begin is None:
                before = runs[i - 1].lines[-_CONTEXT:] if i else []
                lines = [" " + line for line in before]
                begin = at_old - len(before), at_new - len(before)
            lines += [run.sign + line for line in run.lines]
        elif begin is not None:
            last = i == len(runs) - 1
            if len(run.lines) <= _CONTEXT * 2 and not last:
                lines += [" " + line for line in run.lines]
            else:
                after = run.lines[:_CONTEXT]
                lines += [" " + line for line in after]
                yield _hunk(begin, at_old + len(after), at_new + len(after), lines)
                begin = None
        at_old += len(run.lines) * (run.sign != "+")
        at_new += len(run.lines) * (run.sign != "-")
    if begin is not None:
        yield _hunk(begin, at_old, at_new, lines)


def _hunk(begin: tuple[int, int], end_old: int, end_new: int, lines: list[str]) -> list[str]:
    count_old, count_new = end_old - begin[0], end_new - begin[1]
    # an empty range starts at the line before it
    start_old, start_new = begin[0] - (count_old == 0), begin[1] - (count_new == 0)
    entries = [f"@@ -{start_old},{count_old} +{start_new},{count_new} @@"]
    for line in lines:
        entries += [line[:-1]] if line.endswith("\n") else [line, _NO_NEWLINE]
    return entries
