"""Text replacement in files: `applyFileEdits` of the server's `lib.js`."""

from __future__ import annotations

import re

from soundstage.kernels.engines.javascript import SPACES
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.lines import with_newlines

_INDENT = re.compile(f"[{re.escape(SPACES)}]*")


def edited(content: str, old_text: str, new_text: str) -> str:
    """Replace the first occurrence of `old_text`, or else the first lines that differ only in surrounding whitespace.

    Raises:
        Refusal: No such lines exist.
    """
    old, new = with_newlines(old_text), with_newlines(new_text)
    if old in content:
        return content.replace(old, new, 1)
    lines, wanted = content.split("\n"), old.split("\n")
    bare = [line.strip(SPACES) for line in wanted]
    for i in range(len(lines) - len(wanted) + 1):
        if [line.strip(SPACES) for line in lines[i : i + len(wanted)]] == bare:
            return "\n".join([*lines[:i], *_indented(_indent(lines[i]), wanted, new), *lines[i + len(wanted) :]])
    raise Refusal("not_found", f"Could not find exact match for edit:\n{old_text}")


def _indented(indent: str, old_lines: list[str], new: str) -> list[str]:
    """Return new lines indented like the first replaced line.

    Later lines retain their additional indentation relative to the old line at the same position, if both are indented.
    """
    first, *others = new.split("\n")
    lines = [indent + first.lstrip(SPACES)]
    for j, line in enumerate(others, start=1):
        before = _indent(old_lines[j]) if j < len(old_lines) else ""
        own = _indent(line)
        if before and own:
            line = indent + " " * max(0, len(own) - len(before)) + line.lstrip(SPACES)
        lines.append(line)
    return lines


def _indent(line: str) -> str:
    match = _INDENT.match(line)
    return match[0] if match else ""
