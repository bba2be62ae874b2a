"""Comment threads: trees in depth-first order, with the overflow listed as "more"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Node = TypeVar("Node")


@dataclass(frozen=True, slots=True)
class Branch(Generic[Node]):
    """A comment in a thread; `depth` is 0 for direct replies to the root."""

    node: Node
    depth: int


@dataclass(frozen=True, slots=True)
class Thread(Generic[Node]):
    """The shown and the omitted (`more`) nodes of a thread, both in reading order."""

    shown: list[Branch[Node]]
    more: list[Node]


def thread(
    nodes: Iterable[Node],
    root: str,
    *,
    name: Callable[[Node], str],
    parent: Callable[[Node], str],
    order: Callable[[Node], Any],
    limit: int,
    max_depth: int,
) -> Thread[Node]:
    """Return the tree below `root` in reading order: replies follow their parent, siblings are sorted by `order`.

    `limit` counts the comments of the whole tree. Later comments and those at `max_depth` or deeper are returned as `more`.
    Comments without a known parent are unreachable and omitted.
    """
    answers: dict[str, list[Node]] = {}
    for node in nodes:
        answers.setdefault(parent(node), []).append(node)
    for siblings in answers.values():
        siblings.sort(key=order)
    shown: list[Branch[Node]] = []
    more: list[Node] = []
    for branch in _read(answers, root, name):
        if len(shown) < limit and branch.depth < max_depth:
            shown.append(branch)
        else:
            more.append(branch.node)
    return Thread(shown, more)


def _read(answers: dict[str, list[Node]], root: str, name: Callable[[Node], str]) -> Iterator[Branch[Node]]:
    """Yield every comment once, depth first. Recorded data may contain cycles, so visited nodes are removed."""
    waiting = [Branch(node, 0) for node in reversed(answers.pop(root, []))]
    while waiting:
        branch = waiting.pop()
        yield branch
        below = answers.pop(name(branch.node), [])
        waiting += [Branch(node, branch.depth + 1) for node in reversed(below)]
