"""Searches with Tavily's client, and the server's format of the results."""

from __future__ import annotations

from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.web.pages import by_title_and_text, has_own_pages, search_pages, text_of, title_of
from soundstage.kernels.engines.web.ranking import passage

_MOST = 5
_PASSAGE = 500
_LONGEST_QUERY = 400
_NEWS_DAYS = 7


def searched(context: AppContext, keyword: str, topic: str) -> str | None:
    """Return the results for a keyword, or None if the search fails (invalid key, empty or too long query)."""
    key = context.first("api_key") or {}
    if key.get("valid") is False or not keyword.strip() or len(keyword) > _LONGEST_QUERY:
        return None
    pages = list(search_pages(context, keyword, by_title_and_text, every=False))
    if topic == "news" and not has_own_pages(context):
        since = (context.now() - timedelta(days=_NEWS_DAYS)).date().isoformat()
        pages = [page for page in pages if str(page.get("published_date") or "")[:10] >= since]
    text = f"## Search Results for `{keyword}`\n"
    for count, page in enumerate(pages[:_MOST], start=1):
        content = passage(text_of(page), keyword, _PASSAGE)
        text += f"### Reference {count}:\nTitle: {title_of(page)}\nContent: {content}\n"
    return text
