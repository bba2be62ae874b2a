"""Pages of runs: agents side by side, the progress and trials of one run, and comparisons."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from soundstage.gateway.web.page import Web, address, number
from soundstage.runs import serializers
from soundstage.runs.plots import PLOTS
from soundstage.runs.report import AgentRow, LineFilter, compare
from soundstage.runs.store import RunStore, TrialRow
from soundstage.runs.web.lookup import or_not_found
from soundstage.runs.web.tables import CUT_BY, filter_of, report_of
from soundstage.servers.catalogue import load_apps

_PER_PAGE = 50
_SORTED_BY = ("newest", "success", "score", "calls", "cost", "agent")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a heat map: the trials of all tasks with the same setting."""

    k: int
    faults: str
    variant: str


def routes(web: Web, store: RunStore) -> list[BaseRoute]:
    """Return the pages of runs."""

    async def show_all(request: Request) -> Response:
        offset = number(request, "offset", 0) or 0
        chosen = {name: request.query_params.get(name, "") for name in CUT_BY}
        runs, total = await store.runs(offset=offset, limit=_PER_PAGE)
        lines = [line for run in runs for line in await store.results(run.id)]
        line_filter = filter_of(chosen)
        tables = await report_of(lines, line_filter)
        order = request.query_params.get("by", "newest")
        return web.page(
            request,
            "runs.html.jinja",
            title="Runs",
            twin=_twin([run.id for run in runs], line_filter),
            runs=[serializers.run(run, await store.tally(run.id)) for run in runs],
            rows=_sorted(tables["rows"], order),
            robustness=tables["robustness"],
            chosen=chosen,
            order=order,
            orders=_SORTED_BY,
            choices={
                "kind": sorted({line["kind"] for line in lines}),
                "app": sorted({app for line in lines for app in line["apps"]}),
                "language": sorted({line["language"] for line in lines}),
                "length": ["1-3", "4-8", "9-15", "16-25"],
                "tag": sorted({tag for line in lines for tag in line["tags"]}),
            },
            apps=load_apps(),
            total=total,
            offset=offset,
            per_page=_PER_PAGE,
        )

    async def show(request: Request) -> Response:
        run = await or_not_found(store.run(request.path_params["run"]))
        trials = await store.trials(run.id)
        lines = await store.results(run.id)
        tables = await report_of(lines)
        others, _ = await store.runs(offset=0, limit=_PER_PAGE)
        return web.page(
            request,
            "run.html.jinja",
            title=f"Run of {run.plan.agent.name}",
            twin=f"/api/runs/{run.id}",
            run=serializers.run(run, await store.tally(run.id)),
            rows=tables["rows"],
            robustness=tables["robustness"],
            columns=_columns(trials),
            tasks=_by_task(trials),
            plots=list(PLOTS) if lines else [],
            others=[other for other in others if other.id != run.id],
        )

    async def show_both(request: Request) -> Response:
        first = await or_not_found(store.run(request.query_params.get("a", "")))
        second = await or_not_found(store.run(request.query_params.get("b", "")))
        comparison = await asyncio.to_thread(compare, await store.results(first.id), await store.results(second.id))
        return web.page(
            request,
            "compare.html.jinja",
            title="Two runs compared",
            twin=address("/api/runs/compare", a=first.id, b=second.id),
            first=first,
            second=second,
            comparison=comparison,
        )

    async def stop(request: Request) -> Response:
        run = await or_not_found(store.run(request.path_params["run"]))
        await store.stop(run.id)
        return RedirectResponse(f"/runs/{run.id}", 303)

    return [
        web.route("/runs", show_all),
        web.route("/runs/compare", show_both),
        web.route("/runs/{run}", show),
        web.route("/runs/{run}/stop", stop, "POST"),
    ]


def _twin(runs: Sequence[str], line_filter: LineFilter) -> str:
    """Return the address of the table of these runs as JSON."""
    if not runs:
        return "/api/runs"
    parameters = [("run", run) for run in runs]
    parameters += [
        (name, value) for name in ("tag", "kind", "app", "language") if (value := getattr(line_filter, name))
    ]
    if line_filter.length is not None:
        parameters += [("shortest", str(line_filter.length[0])), ("longest", str(line_filter.length[1]))]
    return f"/api/runs/report?{urlencode(parameters)}"


def _sorted(rows: Sequence[AgentRow], order: str) -> list[AgentRow]:
    """Sort rows by the requested order, best or cheapest first; rows without a figure come last."""

    def place(row: AgentRow) -> tuple[bool, float]:
        value = {
            "success": row["success"]["value"],
            "score": row["score"]["value"],
            "calls": row["calls"],
            "cost": row["cost_usd"],
        }[order]
        best_first = order in ("success", "score")
        return value is None, 0.0 if value is None else -value if best_first else value

    if order == "agent":
        return sorted(rows, key=lambda row: row["agent"].casefold())
    return sorted(rows, key=place) if order in ("success", "score", "calls", "cost") else list(rows)


def _columns(trials: Sequence[TrialRow]) -> list[Column]:
    return sorted(
        {Column(t.k, t.faults, t.variant) for t in trials}, key=lambda c: (c.faults != "off", c.faults, c.variant, c.k)
    )


def _by_task(trials: Sequence[TrialRow]) -> dict[str, dict[Column, TrialRow]]:
    """Return task → its trials by column."""
    result: dict[str, dict[Column, TrialRow]] = {}
    for trial in trials:
        result.setdefault(trial.task, {})[Column(trial.k, trial.faults, trial.variant)] = trial
    return result
