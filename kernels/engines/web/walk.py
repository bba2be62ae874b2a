"""Walks over the links of the web, breadth first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator


def breadth_first(
    start: str, linked: Callable[[str], Iterable[str]], *, depth: int, breadth: int | None = None
) -> Iterator[str]:
    """Pages from `start` on, each once: those one link away before those two away, up to `depth` links.

    `linked` gives a page's links in order, those that are to be followed at all; of these the first `breadth` count.
    """
    seen = {start}
    waiting = deque([(start, 0)])
    while waiting:
        page, steps = waiting.popleft()
        yield page
        if steps == depth:
            continue
        for target in list(linked(page))[:breadth]:
            if target not in seen:
                seen.add(target)
                waiting.append((target, steps + 1))
