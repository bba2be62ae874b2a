"""Jobs: crawls that progress with the clock, and polling of other jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web.pages import page_at
from soundstage.kernels.firecrawl.rules.documents import document
from soundstage.kernels.firecrawl.rules.errors import TimedOut

_LIFETIME = timedelta(hours=24)
_STARTING_MS, _PAGE_MS = 1000, 400
_PATIENCE_MS = 60_000


class Progress(TypedDict):
    """The progress of a crawl; `data` are the documents so far."""

    status: str
    completed: int
    total: int
    creditsUsed: int
    expiresAt: str | None
    data: list[dict[str, Any]]


def moment(at: datetime) -> str:
    """Format a time like JavaScript's toISOString."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def started(context: AppContext, url: str, pages: list[str], options: dict[str, Any]) -> Object:
    """Create a crawl, which takes a second to start and less than half a second per page."""
    now = context.now()
    return context.create(
        "crawl_job",
        {
            "url": url,
            "status": "scraping",
            "completed": 0,
            "total": 0,
            "creditsUsed": 0,
            "expiresAt": moment(now + _LIFETIME),
            "createdAt": moment(now),
            "pages": pages,
            "options": options,
        },
    )


def progress(context: AppContext, job: Object) -> Progress:
    """Return the current progress of a crawl; recorded and cancelled crawls do not change."""
    began = _at(job.get("createdAt"))
    if began is None or job.get("status") != "scraping":
        return {
            "status": job.get("status") or "scraping",
            "completed": job.get("completed", 0),
            "total": job.get("total", 0),
            "creditsUsed": job.get("creditsUsed", 0),
            "expiresAt": job.get("expiresAt"),
            "data": job.get("data") or [],
        }
    urls = job.get("pages") or []
    elapsed = (context.now() - began) / timedelta(milliseconds=1)
    done = min(max(int((elapsed - _STARTING_MS) // _PAGE_MS), 0), len(urls)) if elapsed >= _STARTING_MS else 0
    finished = elapsed >= _STARTING_MS and done == len(urls)
    pages = [page for url in urls[:done] if (page := page_at(context, url)) is not None]
    return {
        "status": "completed" if finished else "scraping",
        "completed": done,
        "total": len(urls) if elapsed >= _STARTING_MS else 0,
        "creditsUsed": done,
        "expiresAt": job.get("expiresAt"),
        "data": [document(page, job.get("options") or {}) for page in pages],
    }


def is_over(context: AppContext, job: Object) -> bool:
    """Return whether a crawl that was started here has expired."""
    ends = _at(job.get("expiresAt"))
    return _at(job.get("createdAt")) is not None and ends is not None and context.now() >= ends


def _at(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC) if text else None
    except ValueError:
        return None


def wait_for(context: AppContext, job: Object, interval_ms: int) -> str:
    """Wait for a job that is polled while its status is "processing", and return its final status.

    Raises:
        TimedOut: The job never ends.
    """
    status = str(job.get("status") or "completed")
    if status == "processing":
        context.wait(_PATIENCE_MS)
        raise TimedOut
    context.wait(interval_ms * int(job.get("polls") or 0))
    return status
