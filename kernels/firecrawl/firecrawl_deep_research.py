"""The `firecrawl_deep_research` tool."""

from __future__ import annotations

from itertools import islice

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.model_questions import Message
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.answers import best_sentences
from soundstage.kernels.engines.web.content import blocks
from soundstage.kernels.engines.web.pages import search_pages
from soundstage.kernels.engines.web.ranking import passage
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_research, given
from soundstage.kernels.firecrawl.rules.documents import raw_html, read, text_of, title_of
from soundstage.kernels.firecrawl.rules.errors import FirecrawlError, Upstream, invalid_arguments, undefined, worded
from soundstage.kernels.firecrawl.rules.jobs import wait_for
from soundstage.kernels.types import Arguments

ASKS_A_MODEL = True

_POLL_MS, _USUAL_POLLS, _ROUND_POLLS = 2000, 5, 2
_MOST_TOKENS = 3000
_RESEARCH = (
    "Write a short analysis in Markdown that answers the question from these sources alone, with the number of the source behind "
    "what it says, such as [1]. Where they disagree, say so. End with a list of the sources."
)
_USUAL_URLS, _MOST_SOURCES, _SENTENCES, _PASSAGE = 20, 6, 3, 300


def run(context: AppContext, arguments: Arguments) -> str:
    """Research a question with a job that is polled every two seconds; only the analysis is printed."""
    if "query" not in arguments:
        invalid_arguments("firecrawl_deep_research")
    try:
        admit(context)
        check_research(given(arguments, "query", "maxDepth", "maxUrls", "timeLimit"))
    except Upstream as refusal:
        raise worded("firecrawl_deep_research", refusal) from None
    job = context.get("research", arguments["query"])
    if job is not None:
        return _outcome(context, job)
    rounds = min(int(arguments.get("maxDepth", 7)), 7)
    context.wait(min(_POLL_MS * (_USUAL_POLLS + _ROUND_POLLS * rounds), int(arguments.get("timeLimit", 300) * 1000)))
    return _analysis(context, arguments["query"], int(arguments.get("maxUrls", _USUAL_URLS)))


def _outcome(context: AppContext, job: Object) -> str:
    status = wait_for(context, job, _POLL_MS)
    if status == "failed":
        error = job.get("error")
        raise FirecrawlError("unavailable", error or "Research job failed. Error: undefined")
    if status != "completed":
        raise FirecrawlError("unavailable", "Research job terminated unexpectedly")
    if job.get("finalAnalysis") is None:
        raise undefined("trim", "null" if "finalAnalysis" in job else "undefined")
    return str(job["finalAnalysis"])


def _analysis(context: AppContext, query: str, most: int) -> str:
    """Return sentences of the pages that answer the question, page by page, and the list of pages."""
    pages = islice(search_pages(context, query, read, every=False), min(most, _MOST_SOURCES))
    entries = [(page, sentences) for page in pages if (sentences := _sentences(query, page))]
    if not entries:
        return f"# {query}\n\nNone of the sources that were found says anything about this."
    answer = context.ask_model({"messages": _question(query, entries), "most_tokens": _MOST_TOKENS})
    if answer is not None:
        return answer
    parts = [f"# {query}"]
    for number, (page, sentences) in enumerate(entries, start=1):
        parts.append(f"## {title_of(page) or page['url']}\n\n{' '.join(sentences)} [{number}]")
    sources = [f"{number}. {page['url']}" for number, (page, _) in enumerate(entries, start=1)]
    return "\n\n".join([*parts, "## Sources\n\n" + "\n".join(sources)])


def _question(query: str, lines: list[tuple[Object, list[str]]]) -> list[Message]:
    """Return the question with the sentences of the pages, for a language model."""
    sources = [
        f"[{n}] {title_of(page)} ({page['url']})\n{' '.join(text)}" for n, (page, text) in enumerate(lines, start=1)
    ]
    return [
        {"role": "system", "content": _RESEARCH},
        {"role": "user", "content": "\n\n".join([f"Question: {query}", *sources])},
    ]


def _sentences(query: str, page: Object) -> list[str]:
    """Return the sentences that answer the question, or the closest passage."""
    texts = [block.text for block in blocks(raw_html(page))] if raw_html(page) else [text_of(page)]
    nearest = passage(" ".join(texts), query, _PASSAGE)
    return best_sentences(query, texts, _SENTENCES) or ([nearest] if nearest else [])
