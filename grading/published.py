"""What of a task leaves the repository: a task of the test split goes without its solution, for which its lock stands.

Nothing but the standard library is used: packages are built where none of the project's dependencies are.
"""

from __future__ import annotations

import re

KEPT_BACK = ("oracle", "oracle_answer", "equivalents", "near_misses", "accepts")
"""The members of a task that tell how it is solved; of its wishes the first two."""

_TEST_SPLIT = re.compile(r"^split:[ ]*test[ ]*(?:#.*)?$", re.MULTILINE)
_MEMBER = re.compile(r"""["']?(\w+)["']?:(?=\s)""")
_OF_A_WISH = re.compile(r"([ ]+)(?:oracle|oracle_answer):")
_SELDOM = {"equivalents"}
"""What most tasks do not have; the note names it where it was."""


def published(text: str) -> str:
    """A task.yaml as packages have it: the same, or of the test split without what tells how it is solved.

    A comment goes with the member that stands right below it, as a blank line goes with the one above.
    """
    if not _TEST_SPLIT.search(text):
        return text
    members = _members(text)
    kept = [(name, _without_oracles(lines) if name == "wishes" else lines) for name, lines in members]
    kept = [(name, lines) for name, lines in kept if name not in KEPT_BACK]
    if kept == members:
        return text
    return (
        "".join(line for _, lines in kept for line in lines).rstrip("\n")
        + "\n\n"
        + _note({name for name, _ in members})
    )


def _note(had: set[str]) -> str:
    *first, last = (name for name in KEPT_BACK if name in had or name not in _SELDOM)
    return f"# {', '.join(first)} and {last} are kept back for testing; task.lock stands for them.\n"


def _members(text: str) -> list[tuple[str, list[str]]]:
    """The members of the outermost mapping with their lines, in order."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines(keepends=True):
        if member := _MEMBER.match(line):
            above = found[-1][1]
            comments = next((i for i, other in enumerate(reversed(above)) if not other.startswith("#")), len(above))
            own = above[len(above) - comments :]
            del above[len(above) - comments :]
            found.append((member[1], [*own, line]))
        else:
            found[-1][1].append(line)
    return found


def _without_oracles(lines: list[str]) -> list[str]:
    """The lines of `wishes` without those of their oracles, which are what stands deeper than these members' names."""
    kept: list[str] = []
    depth: int | None = None
    for line in lines:
        inner = line.lstrip(" ")
        indent = len(line) - len(inner)
        if depth is not None and (not inner.strip() or indent > depth or (indent == depth and inner.startswith("- "))):
            continue
        found = _OF_A_WISH.match(line)
        depth = len(found[1]) if found else None
        if found is None:
            kept.append(line)
    return kept
