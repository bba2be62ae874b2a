"""Plots of the cost of faults: pairs without and with them, and recovery by kind."""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.grading.metrics.aggregates import mean_of_tasks
from soundstage.runs.plots.agents import name_of
from soundstage.runs.plots.canvas import Canvas, colour_of, percents
from soundstage.runs.report import FEW_EVENTS, report
from soundstage.runs.results import ResultLine


def pairs(lines: Sequence[ResultLine]) -> str:
    """Plot success without and with faults over paired trials: each agent is a slope."""
    slopes = report(lines)["robustness"]
    canvas = Canvas("Success without faults and with them", (0.8, 2.2), (0, 1))
    canvas.y_axis(percents())
    canvas.x_axis("pairs of one task, seed and number", [(1, "off"), (2, "on")])
    for i, slope in enumerate(slopes):
        off, on = _means(lines, slope["agent"], slope["faults"])
        title = f"{slope['agent']}, {slope['faults']}: {off:.0%} to {on:.0%} in {slope['pairs']} pairs"
        canvas.line([(1, off), (2, on)], colour_of(i), title)
        canvas.dot(1, off, colour_of(i), title)
        canvas.dot(2, on, colour_of(i), title)
        canvas.key(f"{slope['agent']}, {slope['faults']} ({slope['landed']} landed)", colour_of(i))
    if not slopes:
        canvas.note("no trial has a pair")
    return canvas.svg()


def _means(lines: Sequence[ResultLine], agent: str, faults: str) -> tuple[float, float]:
    values: dict[str, tuple[list[float], list[float]]] = {}
    of_agent = [line for line in lines if line["agent"]["name"] == agent]
    off = {(o["run"], o["task"], o["variant"], o["seed"], o["k"]): o for o in of_agent if o["faults"] == "off"}
    for line in of_agent:
        pair = off.get((line["run"], line["task"], line["variant"], line["seed"], line["k"]))
        if line["faults"] == faults and pair is not None:
            without, under = values.setdefault(line["task"], ([], []))
            without.append(float(pair["success"]))
            under.append(float(line["success"]))
    return mean_of_tasks(w for w, _ in values.values()) or 0.0, mean_of_tasks(u for _, u in values.values()) or 0.0


def recovery(lines: Sequence[ResultLine]) -> str:
    """Plot recovery by kind of fault for each agent, with a note on figures from few events."""
    rows = [row for row in report(lines)["rows"] if row["coping"]]
    kinds = sorted({coping["fault"] for row in rows for coping in row["coping"]})
    canvas = Canvas("Recovery by kind of fault, with 95 % intervals", (0.4, max(1, len(kinds)) + 0.6), (0, 1))
    canvas.y_axis(percents())
    canvas.x_axis("", [(i, str(i)) for i in range(1, len(kinds) + 1)])
    width = 0.8 / max(1, len(rows))
    for i, row in enumerate(rows):
        for coping in row["coping"]:
            x = kinds.index(coping["fault"]) + 1 + (i - len(rows) / 2 + 0.5) * width
            interval = coping["recovery"]
            few = f", fewer than {FEW_EVENTS}" if coping["few"] else ""
            title = f"{name_of(row)}, {coping['fault']}: {coping['landed']} landed{few}"
            if interval["value"] is not None and interval["low"] is not None and interval["high"] is not None:
                canvas.bar(
                    x, interval["value"], width * 0.9, colour_of(i), f"{title}, {interval['value']:.0%} recovered"
                )
                canvas.whisker(x, interval["low"], interval["high"])
        canvas.key(name_of(row), colour_of(i))
    for i, kind in enumerate(kinds, 1):
        canvas.note(f"{i} {kind}")
    return canvas.svg()
