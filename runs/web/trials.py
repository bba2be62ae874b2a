"""The page of one trial: its submission, each check with its reason, and the calls behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.gateway.addresses import Addresses
from soundstage.gateway.sessions.problems import ExpiredSession, UnknownSession
from soundstage.gateway.web.page import Web
from soundstage.grading.task import Task
from soundstage.runs import serializers
from soundstage.runs.sealed import Line, Sealed, from_bytes
from soundstage.runs.store import RunStore, TrialRow
from soundstage.runs.task_files import task_from_text
from soundstage.runs.web.lookup import or_not_found


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check's result; `app` is the one whose page shows the changes of its step."""

    id: str
    title: str
    weight: float
    passed: bool
    part: float
    why: str
    step: int | None
    app: str | None


def routes(web: Web, store: RunStore) -> list[BaseRoute]:
    """Return the page of a trial."""

    async def show(request: Request) -> Response:
        trial = await or_not_found(store.trial(request.path_params["trial"]))
        taken = await store.task(trial.run, trial.task)
        data = await store.sealed(trial.id)
        task, sealed = await asyncio.to_thread(
            lambda: (task_from_text(taken.source, trial.task), None if data is None else from_bytes(data))
        )
        journal = () if sealed is None else sealed.journal
        return web.page(
            request,
            "trial.html.jinja",
            title=f"{task.title}, trial {trial.k}",
            twin=f"/api/trials/{trial.id}",
            trial=serializers.trial_detail(trial, Addresses.seen_from(request, web.settings)),
            task=task,
            run=await store.run(trial.run),
            checks=_check_rows(task, trial, journal),
            breaches=[] if trial.result is None else trial.result["breaches"],
            journal=journal,
            struck={} if sealed is None else _faults_by_step(sealed),
            session=await _session(web, trial),
        )

    return [web.route("/trials/{trial}", show)]


def _check_rows(task: Task, trial: TrialRow, journal: tuple[Line, ...]) -> list[CheckRow]:
    came_out: Mapping[str, Any] = {} if trial.result is None else trial.result["checks"]
    apps = {line.step: line.app for line in journal}
    return [
        CheckRow(
            check.id, check.title, check.weight, came["passed"], came["part"], came["why"], came["step"],
            apps.get(came["step"]),
        )
        for check in task.checks
        if (came := came_out.get(check.id)) is not None
    ]  # fmt: skip


def _faults_by_step(sealed: Sealed) -> dict[int, str]:
    """Return the injected faults by step."""
    return {one.step: one.fault for one in sealed.struck}


async def _session(web: Web, trial: TrialRow) -> str | None:
    """Return the trial's session while it can be inspected."""
    if trial.session is None:
        return None
    try:
        return (await web.sessions.by_id(trial.session)).id
    except (UnknownSession, ExpiredSession):
        return None
