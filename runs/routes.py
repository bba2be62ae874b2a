"""Runs over HTTP: `/run/*` for holders of a run token; `/api/runs`, `/api/trials` and `/api/tasks` for the control plane."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import orjson
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from soundstage.contexts.engine.clock import iso
from soundstage.gateway.access import credential
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.control.plane import At, new_plane
from soundstage.gateway.extension import GatewayServices, Plane
from soundstage.gateway.refusals import agent_message
from soundstage.runs import models, serializers
from soundstage.runs.closing import TrialCloser
from soundstage.runs.leasing import lease
from soundstage.runs.lint import lint_task
from soundstage.runs.planning import planned
from soundstage.runs.store import Run, RunStore, UnknownRun
from soundstage.runs.task_files import UnknownTask, task_folder, task_folders
from soundstage.worlds import own_folder

_BELOW = "/run"
_RUN = "soundstage.run"


def _run_of(request: Request) -> Run:
    run: Run = request.scope[_RUN]
    return run


_OfRun = Annotated[Run, Depends(_run_of)]


# -- for runners ----------------------------------------------------------------------------------------------------


def runner_plane(services: GatewayServices, store: RunStore, closing: TrialCloser) -> Plane:
    """Build the plane `/run/*`, which requires a run token."""

    async def authorize(request: Request) -> None:
        scheme, token = credential(request.headers)
        run_id = await store.opened_by(token) if scheme == "bearer" and token else None
        if run_id is None:
            raise HTTPException(401, "this needs the token of a run: Authorization: Bearer <run token>")
        if not services.access.needs_token:
            # Otherwise an agent on this machine could query the control plane for its grading.
            raise HTTPException(403, "trials need a gateway whose control plane has a token; start it with --token")
        request.scope[_RUN] = await store.run(run_id)

    api = new_plane("Soundstage runs", authorize, services.sessions, services.settings, message_of=agent_message)
    _add_problems(api)

    @api.post(f"{_BELOW}/lease", responses={204: {"description": "Nothing is left, now and later."}})
    async def lease_trials(request: Request, body: models.LeaseBody, run: _OfRun, at: At) -> models.Leased:
        """Lease trials. Waits up to `wait_s` seconds for an available one; 204 when the run is over."""
        leased = await lease(store, services, run, body.n, body.wait_s, at, request.is_disconnected)
        if leased is not None and leased.trials:
            closing.prepare()
        return leased or Response(status_code=204)  # type: ignore[return-value] # which FastAPI sends as it is

    @api.post(f"{_BELOW}/trials/{{trial}}/heartbeat")
    async def heartbeat(trial: str, run: _OfRun, body: models.HeartbeatBody | None = None) -> models.Heartbeat:
        """Extend a trial's lease. `cancel` means that the attempt no longer counts."""
        row = await store.trial(trial, run=run.id)
        attempt = None if body is None else body.attempt
        return models.Heartbeat(cancel=not await store.prolong(row.id, run.id, attempt))

    @api.post(f"{_BELOW}/trials/{{trial}}/submit", status_code=202)
    async def submit(trial: str, body: models.SubmitBody, run: _OfRun) -> models.Submitted:
        """Submit the end of an attempt. The agent's address closes; a repeated submission of the same attempt is accepted."""
        row = await store.trial(trial, run=run.id)
        status = await closing.submit(row, body)
        if status == "late":
            raise HTTPException(
                409,
                f"attempt {body.attempt} of trial {trial} is over: its lease ran out, or the run was stopped",
            )
        return models.Submitted(trial=trial, attempt=body.attempt)

    return Plane(_BELOW, api)


# -- for the control plane --------------------------------------------------------------------------------------------


def add_control_routes(api: FastAPI, services: GatewayServices, store: RunStore, closing: TrialCloser) -> None:
    """Add the routes of runs, trials and tasks below /api."""
    _add_problems(api)
    _run_routes(api, services, store, closing)
    _trial_routes(api, store)
    _task_routes(api, services)


def _run_routes(api: FastAPI, services: GatewayServices, store: RunStore, closing: TrialCloser) -> None:
    @api.post("/api/runs", status_code=201)
    async def create_run(body: models.RunBody, at: At) -> models.RunMade:
        """Create a run. It starts when a runner leases trials with the token, which is shown only once."""
        run, tasks, trials = await asyncio.to_thread(
            planned, body, services.settings, services.sessions.upstream_apps()
        )
        await store.add(run, tasks, trials)
        token, _ = await store.add_token(run.id, body.token_ttl)
        return models.RunMade(id=run.id, run_token=token, run_url=_address(at), trials=len(trials))

    @api.get("/api/runs")
    async def list_runs(
        limit: Annotated[int, Query(ge=1, le=1000)] = 100, offset: Annotated[int, Query(ge=0, lt=2**31)] = 0
    ) -> models.RunPage:
        """Runs, the newest first."""
        runs, total = await store.runs(offset=offset, limit=limit)
        return models.RunPage(runs=[serializers.run(run, await store.tally(run.id)) for run in runs], total=total)

    @api.get("/api/runs/{run}")
    async def show_run(run: str) -> models.RunShown:
        """One run by its id; `last` is the newest."""
        stored = await store.run(run)
        return serializers.run(stored, await store.tally(stored.id))

    @api.post("/api/runs/{run}/stop")
    async def stop_run(run: str) -> models.RunShown:
        """Stop leasing a run's trials and close the open ones in their present state."""
        stored = await store.run(run)
        await store.stop(stored.id)
        await closing.close_due_trials()
        return serializers.run(await store.run(stored.id), await store.tally(stored.id))

    @api.post("/api/runs/{run}/tokens", status_code=201)
    async def make_token(run: str, at: At, body: models.TokenBody | None = None) -> models.TokenShown:
        """Create an additional token for runners of a run."""
        stored = await store.run(run)
        token, expires_ms = await store.add_token(stored.id, (body or models.TokenBody()).ttl)
        return models.TokenShown(run_token=token, run_url=_address(at), expires=iso(expires_ms))

    @api.get("/api/runs/{run}/trials")
    async def list_trials(run: str, at: At) -> list[models.TrialShown]:
        """A run's trials in the order of leasing."""
        return [serializers.trial(trial, at) for trial in await store.trials((await store.run(run)).id)]

    @api.get("/api/runs/{run}/results", response_class=Response, responses={200: {"content": {_NDJSON: {}}}})
    async def read_results(run: str) -> Response:
        """The result lines of graded trials, one JSON object per line (NDJSON)."""
        results = await store.results((await store.run(run)).id)
        lines = [orjson.dumps(result) + b"\n" for result in results]
        return Response(b"".join(lines), media_type=_NDJSON)


_NDJSON = "application/x-ndjson"


def _trial_routes(api: FastAPI, store: RunStore) -> None:
    @api.get("/api/trials/{trial}")
    async def show_trial(trial: str, at: At) -> models.TrialDetail:
        """A trial with its submission and verdict."""
        return serializers.trial_detail(await store.trial(trial), at)


def _task_routes(api: FastAPI, services: GatewayServices) -> None:
    own = own_folder(services.settings.worlds)

    def folder_of(world: str, task: str) -> Path:
        name = f"{world}/{task}"
        try:
            return task_folder(name)
        except UnknownTask as error:
            raise HTTPException(404, str(error)) from None

    @api.get("/api/tasks")
    async def list_tasks() -> list[models.TaskShown]:
        """The tasks that are part of Soundstage."""
        return await asyncio.to_thread(lambda: [serializers.task(folder, own) for folder in task_folders()])

    @api.get("/api/tasks/{world}/{task}")
    async def show_task(world: str, task: str) -> models.TaskDetail:
        """One task with its instruction, its checks and its lock."""
        return await asyncio.to_thread(serializers.task_detail, folder_of(world, task), own)

    @api.post("/api/tasks/{world}/{task}/lint")
    async def lint(world: str, task: str) -> models.LintShown:
        """Verify a task's grading, which may take a minute; its lock is not changed."""
        folder = folder_of(world, task)
        report = await asyncio.to_thread(lint_task, folder, services.settings.built or services.settings.worlds, own)
        return serializers.lint(report)


def _address(at: Addresses) -> str:
    return f"{at.base}{_BELOW}"


def _add_problems(api: FastAPI) -> None:
    async def unknown(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, 404)

    api.add_exception_handler(UnknownRun, unknown)
