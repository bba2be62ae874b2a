"""Breadth-first crawling of links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator


def breadth_first(
    start: str, linked: Callable[[str], Iterable[str]], *, depth: int, breadth: int | None = None
) -> Iterator[str]:
    """Yield pages from `start` on in breadth-first order, each once, up to `depth` links away.

    `linked` returns the links of a page that may be followed, in order; only the first `breadth` of them are used.
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
