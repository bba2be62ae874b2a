"""The `firecrawl_generate_llmstxt` tool."""

from __future__ import annotations

from itertools import islice

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import is_true
from soundstage.kernels.engines.web.addresses import host_of
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_llmstxt, with_scheme
from soundstage.kernels.firecrawl.rules.documents import description_of, markdown_of, title_of
from soundstage.kernels.firecrawl.rules.errors import FirecrawlError, Upstream, given_up, invalid_arguments, worded
from soundstage.kernels.firecrawl.rules.jobs import wait_for
from soundstage.kernels.firecrawl.rules.sites import pages_of
from soundstage.kernels.types import Arguments

_POLL_MS = 2000
_USUAL, _BATCH = 10, 10


def run(context: AppContext, arguments: Arguments) -> str:
    """Generate an llms.txt of a site with a job that is polled every two seconds."""
    if not isinstance(arguments.get("url"), str):
        invalid_arguments("firecrawl_generate_llmstxt")
    try:
        admit(context)
        check_llmstxt(arguments)
    except Upstream as refusal:
        raise given_up(context, worded("firecrawl_generate_llmstxt", refusal)) from None
    job = context.get("llmstxt", arguments["url"])
    short, full = _outcome(context, job) if job is not None else _written(context, arguments)
    text = f"LLMs.txt content:\n\n{short}"
    if is_true(arguments.get("showFullText")) and full:
        text += f"\n\nLLMs-full.txt content:\n\n{full}"
    return text


def _outcome(context: AppContext, job: Object) -> tuple[str, str]:
    status = wait_for(context, job, _POLL_MS)
    if status == "failed":
        error = job.get("error") or "LLMs.txt generation job failed. Error: undefined"
        raise given_up(context, FirecrawlError("unavailable", error))
    if status != "completed":
        raise FirecrawlError("unavailable", "LLMs.txt generation job terminated unexpectedly")
    return job.get("llmstxt") or "undefined", job.get("llmsfulltxt") or ""


def _written(context: AppContext, arguments: Arguments) -> tuple[str, str]:
    """Return both files, made from the site's pages that have content."""
    url = arguments["url"]
    pages = pages_of(context, host_of(with_scheme(url)), subdomains=False)
    entries = list(
        islice(((p, text) for p in pages if (text := markdown_of(p, {}))), int(arguments.get("maxUrls", _USUAL)))
    )
    context.wait(_POLL_MS * (1 + len(entries) // _BATCH))
    short = [f"- [{_name(page)}]({page['url']}): {description_of(page) or 'No description'}" for page, _ in entries]
    full = [f"## {_name(page)}\n{text}" for page, text in entries]
    return f"# {url} llms.txt\n\n" + "\n".join(short), f"# {url} llms-full.txt\n\n" + "\n\n".join(full)


def _name(page: Object) -> str:
    return title_of(page) or str(page["url"])
