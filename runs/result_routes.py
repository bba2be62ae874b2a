"""Results over HTTP for the control plane: a run's bundle, tables, plots and exports, comparisons, and regrading."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import FastAPI, Query, Response
from starlette.exceptions import HTTPException

from soundstage.gateway.extension import GatewayServices
from soundstage.grading.task import Task
from soundstage.runs import export
from soundstage.runs.bundle import Finished, InvalidBundle, read_bundle, written_bundle
from soundstage.runs.plots import PLOTS
from soundstage.runs.regrading import VerdictChange, regrade, texts_of, verdict_changes
from soundstage.runs.report import Comparison, LineFilter, Report, compare, report
from soundstage.runs.results import ResultLine, comparable
from soundstage.runs.sealed import Sealed, from_bytes
from soundstage.runs.signing import data_key
from soundstage.runs.store import Run, RunStore
from soundstage.runs.task_files import UnknownTask, task_from_text

_NDJSON = "application/x-ndjson"


def add_result_routes(api: FastAPI, services: GatewayServices, store: RunStore) -> None:
    """Add the routes below /api/runs; they must precede those that accept any word as a run's id."""

    @api.get("/api/runs/compare")
    async def compare_runs(a: str, b: str) -> Comparison:
        """Compare two runs over their common tasks: differences, their significance, and the tasks that flipped."""
        first, second = await _results(store, a), await _results(store, b)
        return await asyncio.to_thread(compare, first, second)

    @api.get("/api/runs/report")
    async def report_runs(
        run: Annotated[list[str], Query(min_length=1, max_length=100)],
        tag: str | None = None,
        kind: str | None = None,
        app: str | None = None,
        language: str | None = None,
        shortest: Annotated[int, Query(ge=0)] = 0,
        longest: Annotated[int, Query(ge=0)] = 2**31,
    ) -> Report:
        """Return the result table of some runs, filtered by tag, kind, app, language and length of the oracle."""
        lines = [line for one in run for line in await _results(store, one)]
        return await asyncio.to_thread(report, lines, LineFilter(tag, kind, app, language, (shortest, longest)))

    @api.get(
        "/api/runs/{run}/plots/{name}.svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}}
    )
    async def plot(run: str, name: str) -> Response:
        """A plot of a run's results."""
        if name not in PLOTS:
            raise HTTPException(404, f"there is no picture {name!r}; there are: {', '.join(PLOTS)}")
        lines = [line for line in await _results(store, run) if comparable(line)]
        return Response(await asyncio.to_thread(PLOTS[name], lines), media_type="image/svg+xml")

    @api.get("/api/runs/{run}/bundle", response_class=Response, responses={200: {"content": {"application/zip": {}}}})
    async def bundle(run: str, held_out: bool = False) -> Response:
        """A finished run as one sealed file; with `held_out` without its tasks."""
        stored = await store.run(run)
        data = await _bundle(services, store, stored, held_out=held_out)
        name = {"Content-Disposition": f'attachment; filename="{stored.id}.soundstage"'}
        return Response(data, media_type="application/zip", headers=name)

    @api.post("/api/runs/{run}/grade")
    async def grade_again(run: str, fresh_tasks: bool = False) -> list[VerdictChange]:
        """Grade a run again, with its original tasks or the present ones, and return the changed verdicts; nothing is stored."""
        data = await _bundle(services, store, await store.run(run))

        def again() -> list[VerdictChange]:
            stored = read_bundle(data)
            return verdict_changes(stored, regrade(stored, texts_of(stored) if fresh_tasks else None))

        try:
            return await asyncio.to_thread(again)
        except (InvalidBundle, UnknownTask) as error:
            raise HTTPException(409, str(error)) from None

    @api.get(
        "/api/runs/{run}/export",
        response_class=Response,
        responses={200: {"content": {_NDJSON: {}, "text/csv": {}}}},
    )
    async def export_run(
        run: str,
        form: Annotated[Literal["csv", "jsonl", "sft"], Query(alias="as")] = "jsonl",
        table: export.Table = "trials",
        failed: bool = False,
    ) -> Response:
        """A table of a run for other programs; `sft`: its successful trials as conversations, or all of them with `failed`."""
        if form == "csv" and table not in export.FLAT:
            raise HTTPException(
                422,
                f"the table {table} has nested fields and cannot be exported as CSV; use as=jsonl, or one of the tables: "
                + ", ".join(sorted(export.FLAT)),
            )
        lines, tasks = await _results(store, run), {t.task: t for t in await store.tasks((await store.run(run)).id)}
        sealed = await _sealed(store, lines) if form == "sft" or table in ("calls", "questions") else {}

        def task_of(name: str) -> Task:
            return task_from_text(tasks[name].source.encode(), name)

        def text() -> str:
            if form == "sft":
                return export.as_jsonl(export.conversations(lines, sealed.__getitem__, task_of, failed=failed))
            rows = export.rows_of(table, lines, list(sealed.values()), task_of)
            return export.as_csv(rows) if form == "csv" else export.as_jsonl(rows)

        kind = "text/csv" if form == "csv" else _NDJSON
        return Response(await asyncio.to_thread(text), media_type=kind)


async def _results(store: RunStore, run: str) -> list[ResultLine]:
    return await store.results((await store.run(run)).id)


async def _sealed(store: RunStore, lines: Sequence[ResultLine]) -> dict[str, Sealed]:
    result: dict[str, Sealed] = {}
    for line in lines:
        data = await store.sealed(line["trial"])
        if data is not None:
            result[line["trial"]] = await asyncio.to_thread(from_bytes, data)
    return result


async def _bundle(services: GatewayServices, store: RunStore, run: Run, *, held_out: bool = False) -> bytes:
    trials, lines = await store.trials(run.id), {line["trial"]: line for line in await _results(store, run.id)}
    missing = [trial.id for trial in trials if trial.id not in lines]
    if missing:
        raise HTTPException(
            409, f"{len(missing)} of {len(trials)} trials are not graded yet; a bundle is of all of them"
        )
    sealed = await _sealed(store, list(lines.values()))
    verdicts = {trial.id: (await store.trial(trial.id)).verdict or {} for trial in trials}
    texts = {task.task: task.source.encode() for task in await store.tasks(run.id)}
    finished = [Finished(sealed[t.id], texts[t.task], verdicts[t.id], lines[t.id]) for t in trials]
    about = {"created_ms": run.created_ms, "plan": run.plan.model_dump(mode="json", exclude={"tasks_dir"})}
    try:
        return await asyncio.to_thread(
            written_bundle, about, finished, data_key(services.settings.data), held_out=held_out
        )
    except ValueError as error:
        raise HTTPException(409, str(error)) from None
