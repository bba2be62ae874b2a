"""The `firecrawl_check_crawl_status` tool."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import utf16_length, utf16_slice
from soundstage.kernels.firecrawl.rules.account import authenticate
from soundstage.kernels.firecrawl.rules.errors import FirecrawlError, Upstream, invalid_arguments, worded
from soundstage.kernels.firecrawl.rules.jobs import Progress, is_over, progress
from soundstage.kernels.types import Arguments

_PREVIEW = 100


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the progress of a crawl; documents lack their URLs, and only the beginning of their text is printed."""
    job_id = arguments.get("id")
    if not isinstance(job_id, str):
        invalid_arguments("firecrawl_check_crawl_status")
    if not job_id:
        raise FirecrawlError("invalid", "Error: No crawl ID provided")
    try:
        return _printed(_progress(context, job_id))
    except Upstream as refusal:
        raise worded("firecrawl_check_crawl_status", refusal) from None


def _progress(context: AppContext, job_id: str) -> Progress:
    authenticate(context)
    job = context.get("crawl_job", job_id)
    if job is None or is_over(context, job):
        raise Upstream(404, "Job not found")
    if job.get("no_access"):
        raise Upstream(403, "Forbidden")
    return progress(context, job)


def _printed(job: Progress) -> str:
    lines = [
        "Crawl Status:",
        f"Status: {job['status']}",
        f"Progress: {job['completed']}/{job['total']}",
        f"Credits Used: {job['creditsUsed']}",
        f"Expires At: {_date(job['expiresAt'])}",
        "",
    ]
    results = "\nResults:\n" + "\n\n".join(map(_document, job["data"])) if job["data"] else ""
    return "\n".join(lines) + results


def _document(result: dict[str, Any]) -> str:
    content = result.get("markdown") or result.get("html") or result.get("rawHtml") or "No content"
    cut = utf16_slice(content, 0, _PREVIEW) + ("..." if utf16_length(content) > _PREVIEW else "")
    title = (result.get("metadata") or {}).get("title")
    # The API returns the URL inside the metadata, but the server reads it from the document.
    return f"URL: {result.get('url') or 'Unknown URL'}\nContent: {cut}\n{f'Title: {title}' if title else ''}"


def _date(text: str | None) -> str:
    """Format a time like a JavaScript Date on a machine in UTC."""
    try:
        at = datetime.fromisoformat(text or "").astimezone(UTC)
    except ValueError:
        return "Invalid Date"
    return f"{at:%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)"
