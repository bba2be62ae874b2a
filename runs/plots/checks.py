"""A plot of the checks that pass in each task."""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.runs.plots.canvas import Canvas
from soundstage.runs.results import ResultLine


def heat_map(lines: Sequence[ResultLine]) -> str:
    """Plot tasks as rows and their checks as columns; greener cells mean more passing trials."""
    passed: dict[str, dict[str, list[bool]]] = {}
    for line in lines:
        for check, outcome in line["checks"].items():
            passed.setdefault(line["task"], {}).setdefault(check, []).append(outcome["passed"])
    tasks = sorted(passed)
    most = max((len(checks) for checks in passed.values()), default=1)
    height = 110 + 22 * max(1, len(tasks))
    canvas = Canvas("Checks that pass", (0.5, most + 0.5), (0.5, max(1, len(tasks)) + 0.5), height=height, left=280)
    canvas.x_axis("checks in the order of the task", [(i, str(i)) for i in range(1, most + 1)])
    for row, task in enumerate(reversed(tasks), 1):
        canvas.label(0.5, row, task, anchor="end", beside=-8)
        for i, (check, values) in enumerate(
            sorted(passed[task].items(), key=lambda one: _place(lines, task, one[0])), 1
        ):
            share = sum(values) / len(values)
            canvas.cell(i, row, _shade(share), f"{task}, {check}: {sum(values)} of {len(values)}")
    for share, words in ((1.0, "every trial"), (0.5, "half of them"), (0.0, "none")):
        canvas.key(words, _shade(share))
    return canvas.svg()


def _place(lines: Sequence[ResultLine], task: str, check: str) -> int:
    checks = next(line["checks"] for line in lines if line["task"] == task and check in line["checks"])
    return list(checks).index(check)


def _shade(share: float) -> str:
    """Return a colour between red, pale and green."""
    bad, middle, good = (181, 72, 47), (240, 236, 220), (47, 125, 91)
    low, high, part = (bad, middle, share * 2) if share < 0.5 else (middle, good, share * 2 - 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(low, high, strict=True))
