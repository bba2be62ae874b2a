"""Plots of agents side by side: success, pass^k, length of tasks, cost."""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.runs.plots.canvas import Canvas, colour_of, percents
from soundstage.runs.report import AgentRow, report
from soundstage.runs.results import ResultLine
from soundstage.runs.statistics import share_over_tasks

LENGTHS = ((1, 3), (4, 8), (9, 15), (16, 999))


def name_of(row: AgentRow) -> str:
    """Return an agent's name with the particulars of its setting."""
    parts = [row["agent"], *(v for v in (row["version"], row["model"]) if v)]
    parts += [f"faults {row['faults']}"] if row["faults"] != "off" else []
    parts += [value for value in (row["variant"], row["tools"]) if value not in ("default", "all")]
    return " ".join(parts)


def success(lines: Sequence[ResultLine]) -> str:
    """Plot success by agent with its interval."""
    rows = report(lines)["rows"]
    canvas = Canvas("Success by agent, with 95 % intervals", (0.4, max(1, len(rows)) + 0.6), (0, 1))
    canvas.y_axis(percents())
    canvas.x_axis("", [(i, str(i)) for i in range(1, len(rows) + 1)])
    for i, row in enumerate(rows, 1):
        interval = row["success"]
        title = f"{name_of(row)}: {_percentage(interval['value'])} of {row['tasks']} tasks, {row['trials']} trials"
        canvas.bar(i, interval["value"] or 0.0, 0.6, colour_of(i - 1), title)
        if interval["low"] is not None and interval["high"] is not None:
            canvas.whisker(i, interval["low"], interval["high"])
        canvas.key(f"{i} {name_of(row)}", colour_of(i - 1))
    return canvas.svg()


def pass_all(lines: Sequence[ResultLine]) -> str:
    """Plot pass^k by k."""
    rows = report(lines)["rows"]
    most = max((len(row["pass_all"]) for row in rows), default=1)
    canvas = Canvas("All of k trials succeed (pass^k)", (0.8, most + 0.2), (0, 1))
    canvas.y_axis(percents())
    canvas.x_axis("k", [(k, str(k)) for k in range(1, most + 1)])
    for i, row in enumerate(rows):
        points = [(float(k), value) for k, value in row["pass_all"].items() if value is not None]
        if len(points) > 1:
            canvas.line(points, colour_of(i), name_of(row))
        for k, value in points:
            canvas.dot(k, value, colour_of(i), f"{name_of(row)}: pass^{k:.0f} {_percentage(value)}")
        canvas.key(name_of(row), colour_of(i))
    return canvas.svg()


def by_length(lines: Sequence[ResultLine]) -> str:
    """Plot success by the number of calls in the task's own solution."""
    canvas = Canvas("Success by length of the oracle", (0.4, len(LENGTHS) + 0.6), (0, 1))
    canvas.y_axis(percents())
    names = [f"{low} to {high}" if high < 999 else f"{low} and more" for low, high in LENGTHS]
    canvas.x_axis("calls of the oracle", [(i, name) for i, name in enumerate(names, 1)])
    for i, (label, of_agent) in enumerate(_by_agent(lines).items()):
        points: list[tuple[float, float]] = []
        for at, (low, high) in enumerate(LENGTHS, 1):
            tasks: dict[str, list[bool]] = {}
            for line in of_agent:
                if low <= line["oracle_calls"] <= high:
                    tasks.setdefault(line["task"], []).append(line["success"])
            interval = share_over_tasks(list(tasks.values()))
            if interval["value"] is not None:
                x = at + (i - len(_by_agent(lines)) / 2 + 0.5) * 0.1
                points.append((x, interval["value"]))
                canvas.dot(
                    *points[-1], colour_of(i), f"{label}: {_percentage(interval['value'])} of {len(tasks)} tasks"
                )
                if interval["low"] is not None and interval["high"] is not None:
                    canvas.whisker(x, interval["low"], interval["high"])
        if len(points) > 1:
            canvas.line(points, colour_of(i), label)
        canvas.key(label, colour_of(i))
    return canvas.svg()


def by_cost(lines: Sequence[ResultLine]) -> str:
    """Plot success against the cost of a trial, with the agents that no other beats in both (the Pareto front)."""
    rows = [row for row in report(lines)["rows"] if row["cost_usd"] is not None]
    most = max((row["cost_usd"] or 0.0 for row in rows), default=0.0) or 1.0
    canvas = Canvas("Success against cost, as the runner reports it", (0, most * 1.1), (0, 1))
    canvas.y_axis(percents())
    canvas.x_axis("US dollars a trial", [(most * n / 4, f"{most * n / 4:.3g}") for n in range(5)])
    points = [(row["cost_usd"] or 0.0, row["success"]["value"] or 0.0) for row in rows]
    front = pareto(points)
    if len(front) > 1:
        canvas.line(front, "#888", "Pareto front", dashed=True)
    for i, (row, (cost, share)) in enumerate(zip(rows, points, strict=True)):
        canvas.dot(cost, share, colour_of(i), f"{name_of(row)}: {_percentage(share)} for {cost:.3g} USD")
        canvas.key(name_of(row), colour_of(i))
    if not rows:
        canvas.note("no runner reported costs")
    return canvas.svg()


def pareto(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points to which no other is cheaper and at least as good, from the cheapest on."""
    front: list[tuple[float, float]] = []
    for cost, share in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or share > front[-1][1]:
            front.append((cost, share))
    return front


def _by_agent(lines: Sequence[ResultLine]) -> dict[str, list[ResultLine]]:
    result: dict[str, list[ResultLine]] = {}
    for line in lines:
        rows = report([line])["rows"]
        result.setdefault(name_of(rows[0]), []).append(line)
    return result


def _percentage(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.0%}"
