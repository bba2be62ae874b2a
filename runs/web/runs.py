"""Runs: those there are, how far one is and how its trials came out, and two beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from soundstage.gateway.web.page import Web, number
from soundstage.runs import shown
from soundstage.runs.book import Book, TrialRow

_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a heat map: the trials of all tasks that were made alike."""

    k: int
    faults: str
    variant: str


def routes(web: Web, book: Book) -> list[BaseRoute]:
    async def show_all(request: Request) -> Response:
        offset = number(request, "offset", 0) or 0
        runs, total = await book.runs(offset=offset, limit=_PER_PAGE)
        return web.page(
            request,
            "runs.html.jinja",
            title="Runs",
            twin="/api/runs",
            runs=[shown.run(run, await book.trials(run.id)) for run in runs],
            total=total,
            offset=offset,
            per_page=_PER_PAGE,
        )

    async def show(request: Request) -> Response:
        run = await book.run(request.path_params["run"])
        trials = await book.trials(run.id)
        return web.page(
            request,
            "run.html.jinja",
            title=f"Run of {run.plan.agent.name}",
            twin=f"/api/runs/{run.id}",
            run=shown.run(run, trials),
            columns=_columns(trials),
            rows=_rows(trials),
        )

    async def stop(request: Request) -> Response:
        run = await book.run(request.path_params["run"])
        await book.stop(run.id)
        return RedirectResponse(f"/runs/{run.id}", 303)

    return [
        web.route("/runs", show_all),
        web.route("/runs/{run}", show),
        web.route("/runs/{run}/stop", stop, "POST"),
    ]


def _columns(trials: Sequence[TrialRow]) -> list[Column]:
    return sorted(
        {Column(t.k, t.faults, t.variant) for t in trials}, key=lambda c: (c.faults != "off", c.faults, c.variant, c.k)
    )


def _rows(trials: Sequence[TrialRow]) -> dict[str, dict[Column, TrialRow]]:
    """Task → its trials by column."""
    found: dict[str, dict[Column, TrialRow]] = {}
    for trial in trials:
        found.setdefault(trial.task, {})[Column(trial.k, trial.faults, trial.variant)] = trial
    return found
