"""A plot of the quality of agents' tool searches."""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.grading.metrics.aggregates import recall_at
from soundstage.runs.plots.canvas import Canvas, colour_of, percents
from soundstage.runs.results import ResultLine

_AT = (1, 2, 3, 5, 10)


def recall(lines: Sequence[ResultLine]) -> str:
    """Plot the share of searches with a tool of the oracle among the first k, by the number of tools."""
    canvas = Canvas("Searches that find a needed tool among the first k", (0.8, len(_AT) + 0.2), (0, 1))
    canvas.y_axis(percents())
    canvas.x_axis("k", [(i, str(k)) for i, k in enumerate(_AT, 1)])
    ranks: dict[str, list[int | None]] = {}
    for line in lines:
        key = f"{line['agent']['name']}, tools {line['tools']}"
        ranks.setdefault(key, []).extend(search["rank"] for search in line["figures"]["searches"])
    known = {key: of_agent for key, of_agent in ranks.items() if of_agent}
    for i, (key, of_agent) in enumerate(known.items()):
        points = [(float(at), recall_at(k, of_agent)["rate"] or 0.0) for at, k in enumerate(_AT, 1)]
        canvas.line(points, colour_of(i), key)
        for (x, y), k in zip(points, _AT, strict=True):
            canvas.dot(x, y, colour_of(i), f"{key}: {y:.0%} of {len(of_agent)} searches at {k}")
        canvas.key(f"{key} ({len(of_agent)})", colour_of(i))
    if not known:
        canvas.note("nobody searched")
    return canvas.svg()
