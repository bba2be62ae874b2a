"""Pages of tasks: the list, a task's instruction and checks, and the proof of its grading."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.gateway.web.page import Web
from soundstage.runs import models, serializers
from soundstage.runs.lint import Report, Result, lint_task
from soundstage.runs.task_files import UnknownTask, cached_task, task_folder, task_folders
from soundstage.servers.catalogue import load_apps
from soundstage.worlds import own_folder

_OF_EVERY_CHECK = frozenset({"id", "title", "weight", "class", "after", "requires_check"})
_CUT_BY = ("world", "kind", "app", "language", "split", "tag")


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task of the list, with the number of lint runs of each operator."""

    task: models.TaskShown
    proven: Mapping[str, int]


def routes(web: Web) -> list[BaseRoute]:
    """Return the pages of tasks."""
    own = own_folder(web.settings.worlds)
    built = web.settings.built or web.settings.worlds

    async def show_all(request: Request) -> Response:
        every = await asyncio.to_thread(_task_row, own)
        chosen = {name: request.query_params.get(name, "") for name in _CUT_BY}
        listed = [one for one in every if all(not v or v in _marks(one.task, n) for n, v in chosen.items())]
        return web.page(
            request,
            "tasks.html.jinja",
            title="Tasks",
            twin="/api/tasks",
            listed=listed,
            total=len(every),
            chosen=chosen,
            choices={name: sorted({mark for one in every for mark in _marks(one.task, name)}) for name in _CUT_BY},
            operators=sorted({operator for one in listed for operator in one.proven}),
            apps=load_apps(),
        )

    async def show(request: Request) -> Response:
        folder = _folder(request)
        (task, source), detail = await asyncio.to_thread(
            lambda: (cached_task(folder), serializers.task_detail(folder, own))
        )
        return web.page(
            request,
            "task.html.jinja",
            title=detail.title,
            twin=f"/api/tasks/{detail.task}",
            task=task,
            detail=detail,
            wanted=[_wanted(check) for check in source.value["checks"]],
            apps=load_apps(),
        )

    async def prove(request: Request) -> Response:
        report = await asyncio.to_thread(lint_task, _folder(request), built, own)
        return web.page(
            request,
            "lint.html.jinja",
            title=f"Proof of {report.task}",
            twin=None,
            report=report,
            matrix=_matrix(report),
        )

    return [
        web.route("/tasks", show_all),
        web.route("/tasks/{world}/{task}", show),
        web.route("/tasks/{world}/{task}/lint", prove, "POST"),
    ]


def _wanted(check: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return a check's conditions as written in its file, without the members that every check has."""
    return [(name, value) for name, value in check.items() if name not in _OF_EVERY_CHECK]


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """The results of one operator of the lint; `wrong` are runs with an unexpected result."""

    operator: str
    expected: str
    runs: int
    wrong: list[Result]
    lowest: float
    highest: float


def _matrix(report: Report) -> list[OperatorRow]:
    rows: list[OperatorRow] = []
    for operator in sorted({r.operator for r in report.results}):
        results = [r for r in report.results if r.operator == operator]
        scores = [r.score for r in results]
        expected = Counter(r.expected for r in results).most_common(1)[0][0]
        wrong = [r for r in results if not r.right]
        rows.append(OperatorRow(operator, expected, len(results), wrong, min(scores), max(scores)))
    return rows


def _task_row(own: Path) -> list[TaskRow]:
    result: list[TaskRow] = []
    for folder in task_folders():
        detail = serializers.task_detail(folder, own)
        result.append(TaskRow(detail, (detail.lock or {}).get("operators", {})))
    return result


def _marks(task: models.TaskShown, name: str) -> list[str]:
    """Return the filter keywords of a task."""
    if name == "app":
        return task.apps
    return task.tags if name == "tag" else [str(getattr(task, name))]


def _folder(request: Request) -> Path:
    try:
        return task_folder(f"{request.path_params['world']}/{request.path_params['task']}")
    except UnknownTask as error:
        raise HTTPException(404, str(error)) from None
