"""Coverage of a server's own code in a run, from the engine's `NODE_V8_COVERAGE` files."""

from __future__ import annotations

import json
from pathlib import Path


def reached_blocks(seen: Path, script: Path, begin: str = "", end: str = "") -> tuple[int, int]:
    """Return the number of blocks of a script, between two of its texts, that ran at least once in any process, and their
    total.

    Each process reports only the blocks that differ from the block around them, so that the blocks of one process are looked
    up in the others.
    """
    source = script.read_text()
    first, last = source.index(begin) if begin else 0, source.index(end) if end else len(source)
    blocks: set[tuple[int, int]] = set()
    run = [False] * len(source)
    for file in seen.glob("*.json"):
        for script_coverage in json.loads(file.read_text())["result"]:
            if not script_coverage["url"].endswith(str(script)):
                continue
            ranges = [
                (one["startOffset"], one["endOffset"], one["count"])
                for f in script_coverage["functions"]
                for one in f["ranges"]
            ]
            counts = [0] * len(source)
            for start, stop, count in sorted(ranges, key=lambda one: one[0] - one[1]):  # inner ranges last
                counts[start:stop] = [count] * (min(stop, len(source)) - start)
            run = [before or count > 0 for before, count in zip(run, counts, strict=True)]
            blocks |= {(start, stop) for start, stop, _ in ranges if first <= start and stop <= last}
    done = [any(run[i] for i in range(*block) if not source[i].isspace()) for block in blocks]
    return sum(done), len(done)
