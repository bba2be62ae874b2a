"""Prepare tasks for publication: a task of the test split is published without its solution, which its lock represents.

Only the standard library is used, because packages are built without the project's dependencies.
"""

from __future__ import annotations

import re

KEPT_BACK = ("oracle", "oracle_answer", "equivalents", "near_misses", "accepts")
"""The members of a task that reveal its solution; of its mid-task requests only the first two."""

_TEST_SPLIT = re.compile(r"^split:[ ]*test[ ]*(?:#.*)?$", re.MULTILINE)
_MEMBER = re.compile(r"""["']?(\w+)["']?:(?=\s)""")
_OF_A_WISH = re.compile(r"([ ]+)(?:oracle|oracle_answer):")
_SELDOM = {"equivalents"}
"""Members that few tasks have; the note mentions them only if they were present."""


def published(text: str) -> str:
    """Return a task.yaml for packages: unchanged, or for the test split without its solution.

    A comment belongs to the member right below it, a blank line to the one above.
    """
    if not _TEST_SPLIT.search(text):
        return text
    members = _members(text)
    public = [(name, _without_oracles(lines) if name == "wishes" else lines) for name, lines in members]
    public = [(name, lines) for name, lines in public if name not in KEPT_BACK]
    if public == members:
        return text
    return (
        "".join(line for _, lines in public for line in lines).rstrip("\n")
        + "\n\n"
        + _note({name for name, _ in members})
    )


def _note(had: set[str]) -> str:
    *first, last = (name for name in KEPT_BACK if name in had or name not in _SELDOM)
    return f"# {', '.join(first)} and {last} are kept back for testing; task.lock stands for them.\n"


def _members(text: str) -> list[tuple[str, list[str]]]:
    """Return the members of the outermost mapping with their lines, in order."""
    result: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines(keepends=True):
        if member := _MEMBER.match(line):
            above = result[-1][1]
            comments = next((i for i, other in enumerate(reversed(above)) if not other.startswith("#")), len(above))
            own = above[len(above) - comments :]
            del above[len(above) - comments :]
            result.append((member[1], [*own, line]))
        else:
            result[-1][1].append(line)
    return result


def _without_oracles(lines: list[str]) -> list[str]:
    """Return the lines of `wishes` without oracle members, that is, without lines indented deeper than their names."""
    result: list[str] = []
    depth: int | None = None
    for line in lines:
        inner = line.lstrip(" ")
        indent = len(line) - len(inner)
        if depth is not None and (not inner.strip() or indent > depth or (indent == depth and inner.startswith("- "))):
            continue
        match = _OF_A_WISH.match(line)
        depth = len(match[1]) if match else None
        if match is None:
            result.append(line)
    return result
