"""Brace expansion: npm's `brace-expansion`, which follows Bash.

It expands `{a,b}`, `{1..9}`, `{01..10..2}` and `{a..e}`. Braces without a comma or a range are literal, and so is `${`.
"""

from __future__ import annotations

import re

_MOST = 1000
"""Maximum number of alternatives. The original allows 100,000, each of which would be compared with every path."""
_DEEPEST = 50
_NUMBERS = re.compile(r"-?\d{1,9}\.\.-?\d{1,9}(?:\.\.-?\d{1,9})?", re.ASCII)
_LETTERS = re.compile(r"[a-zA-Z]\.\.[a-zA-Z](?:\.\.-?\d{1,9})?", re.ASCII)
_PADDED = re.compile(r"-?0\d", re.ASCII)


def alternatives(pattern: str) -> list[str]:
    """Return the expansions of a pattern in order."""
    if pattern.startswith("{}"):
        pattern = "\\{\\}" + pattern[2:]
    return _expanded(pattern, 0)


def _expanded(pattern: str, depth: int) -> list[str]:
    done = [""]
    while True:
        result = _outermost(pattern)
        if result is None or depth > _DEEPEST:
            return _joined(done, pattern, [""])
        before, body, after = result
        if before.endswith("$"):
            done = _joined(done, f"{before}{{{body}}}", [""])
            pattern = after
            continue
        is_range = bool(_NUMBERS.fullmatch(body) or _LETTERS.fullmatch(body))
        if not is_range and "," not in body:
            if re.search(r",(?!,).*\}", after):
                # `{a},b}`: the first closing brace is literal
                pattern = f"{before}{{{body}\\}}{after}"
                continue
            return _joined(done, f"{before}{{{body}}}{after}", [""])
        done = _joined(done, before, _range(body) if is_range else _of_members(body, depth))
        pattern = after


def _of_members(body: str, depth: int) -> list[str]:
    members = _members(body)
    if len(members) == 1:  # `{{a,b}}`: the outer braces stay
        return [f"{{{inner}}}" for inner in _expanded(members[0], depth + 1)]
    return [value for member in members for value in _expanded(member, depth + 1)][:_MOST]


def _joined(starts: list[str], middle: str, ends: list[str]) -> list[str]:
    return [start + middle + end for start in starts for end in ends][:_MOST]


def _outermost(pattern: str) -> tuple[str, str, str] | None:
    """Return the text before, inside and after the first matching braces."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for i, character in _bare(pattern):
        if character == "{":
            opened.append(i)
        elif character == "}" and opened:
            pairs.append((opened.pop(), i))
    outer = [pair for pair in pairs if not any(a < pair[0] and pair[1] < b for a, b in pairs)]
    if not outer:
        return None
    begin, end = min(outer)
    return pattern[:begin], pattern[begin + 1 : end], pattern[end + 1 :]


def _members(body: str) -> list[str]:
    """Split at the commas outside of nested braces."""
    members, depth, begin = [], 0, 0
    for i, character in _bare(body):
        if character == "," and depth == 0:
            members.append(body[begin:i])
            begin = i + 1
        depth += (character == "{") - (character == "}")
    return [*members, body[begin:]]


def _bare(text: str) -> list[tuple[int, str]]:
    """Return the unescaped characters with their positions."""
    result, i = [], 0
    while i < len(text):
        if text[i] == "\\":
            i += 2
            continue
        result.append((i, text[i]))
        i += 1
    return result


def _range(body: str) -> list[str]:
    ends = body.split("..")
    letters = ends[0].isalpha()
    low, high = (ord(end) if letters else int(end) for end in ends[:2])
    step = max(abs(int(ends[2])), 1) if len(ends) == 3 else 1
    values = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    if letters:
        return ["" if value == ord("\\") else chr(value) for value in values]
    width = max(map(len, ends[:2])) if any(_PADDED.match(end) for end in ends) else 0
    return [f"{value:0{width}d}" for value in values[:_MOST]]
