"""The view of a team's crawls, like Firecrawl's dashboard: all crawls, their progress, and the documents of the open one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.firecrawl.rules.jobs import progress
from soundstage.servers.view import Query, View

_MOST_JOBS, _MOST_DOCUMENTS, _MOST_TEXT = 50, 60, 1200


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the crawls; the query's `job` is the id of the open one (by default the newest)."""
    jobs = context.list("crawl_job", order="-createdAt", limit=_MOST_JOBS)
    job = context.get("crawl_job", query.get("job", "")) or (jobs[0] if jobs else None)
    data: dict[str, Any] = {"jobs": [_listed(context, j) for j in jobs], "job": None, "documents": [], "left": 0}
    if job is not None:
        result = progress(context, job)["data"]
        data |= {
            "job": _listed(context, job) | {"waiting": _waiting(context, job)},
            "documents": [_document(d) for d in result[:_MOST_DOCUMENTS]],
            "left": max(len(result) - _MOST_DOCUMENTS, 0),
        }
    return View("crawls.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a crawl; the results of other jobs are not visible in advance."""
    return {"job": str(value["id"])} if entity == "crawl_job" else None


def _listed(context: AppContext, job: Object) -> dict[str, Any]:
    state = progress(context, job)
    share = 100 * state["completed"] // state["total"] if state["total"] else 0
    return {
        "id": job["id"],
        "url": job.get("url") or "",
        "status": state["status"],
        "completed": state["completed"],
        "total": state["total"],
        "credits": state["creditsUsed"],
        "share": 100 if state["status"] == "completed" else min(share, 100),
        "started": _moment(job.get("createdAt")),
        "expires": _moment(state["expiresAt"]),
    }


def _waiting(context: AppContext, job: Object) -> list[str]:
    """Return the URLs that a running crawl has not read yet."""
    return list(job.get("pages") or [])[progress(context, job)["completed"] :][:_MOST_DOCUMENTS]


def _document(result: dict[str, Any]) -> dict[str, str]:
    metadata = result.get("metadata") or {}
    text = result.get("markdown") or result.get("html") or result.get("rawHtml") or ""
    return {
        "title": str(metadata.get("title") or ""),
        "url": str(metadata.get("sourceURL") or result.get("url") or ""),
        "text": str(text)[:_MOST_TEXT],
    }


def _moment(text: str | None) -> datetime | None:
    try:
        at = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return at if at.tzinfo is not None else None
