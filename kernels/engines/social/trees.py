"""Threads of answers: trees of comments, shown depth first, with what is too much left out as "more"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Node = TypeVar("Node")


@dataclass(frozen=True, slots=True)
class Branch(Generic[Node]):
    """A comment as a thread shows it; `depth` is 0 for one that answers the root itself."""

    node: Node
    depth: int


@dataclass(frozen=True, slots=True)
class Thread(Generic[Node]):
    """What a thread shows, in reading order, and what it leaves behind, likewise: `more`."""

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
    """The tree below `root`, answers right after what they answer, those to the same by `order`, the rest as they came.

    `limit` counts comments of the whole tree, in reading order; what comes after, and what lies `max_depth` or deeper, is left as
    more. A comment whose parent is not there is not reached.
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
    """Every comment once, depth first. What has been read is not read again: a recorded state may answer in a circle."""
    waiting = [Branch(node, 0) for node in reversed(answers.pop(root, []))]
    while waiting:
        branch = waiting.pop()
        yield branch
        below = answers.pop(name(branch.node), [])
        waiting += [Branch(node, branch.depth + 1) for node in reversed(below)]
