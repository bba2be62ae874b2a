"""Waiting and polling of the real server advance the session's clock, which a single case cannot show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

URL = "https://loom.test/"
PAGE = {"url": URL, "html": "<p>wool</p>"}


LIMITED = {"api_key": [{"valid": True, "ratelimited": True}]}
JOB = {"status": "completed", "polls": 3}


@pytest.mark.parametrize(
    ("tool", "arguments", "given", "milliseconds"),
    [
        ("firecrawl_scrape", {"url": URL}, {"page": [{**PAGE, "slow_ms": 700}]}, 700),
        ("firecrawl_scrape", {"url": URL, "waitFor": 300, "actions": [{"type": "wait", "selector": "a"}]}, {}, 1300),
        ("firecrawl_scrape", {"url": URL, "timeout": 2000}, {"page": [{**PAGE, "slow_ms": 9000}]}, 2000),
        ("firecrawl_scrape", {"url": URL}, LIMITED, 0),
        ("firecrawl_map", {"url": URL}, LIMITED, 0),
        ("firecrawl_crawl", {"url": URL}, LIMITED, 3000),
        ("firecrawl_search", {"query": "wool"}, LIMITED, 3000),
        ("firecrawl_extract", {"urls": [URL]}, LIMITED, 3000),
        ("firecrawl_deep_research", {"query": "wool"}, LIMITED, 0),
        ("firecrawl_generate_llmstxt", {"url": URL}, LIMITED, 3000),
        ("firecrawl_extract", {"urls": [URL]}, {"extraction": [{"urls": [URL], "data": {}, **JOB}]}, 3000),
        ("firecrawl_deep_research", {"query": "q"}, {"research": [{"query": "q", "finalAnalysis": "a", **JOB}]}, 6000),
        ("firecrawl_generate_llmstxt", {"url": URL}, {"llmstxt": [{"url": URL, "llmstxt": "a", **JOB}]}, 6000),
        ("firecrawl_extract", {"urls": [URL]}, {}, 3000),
        ("firecrawl_deep_research", {"query": "wool", "maxDepth": 2}, {}, 18000),
        ("firecrawl_deep_research", {"query": "wool"}, {}, 38000),
        ("firecrawl_deep_research", {"query": "wool", "timeLimit": 30}, {}, 30000),
        ("firecrawl_generate_llmstxt", {"url": URL}, {}, 2000),
        ("firecrawl_extract", {"urls": [URL]}, {"extraction": [{"urls": [URL], "status": "processing"}]}, 60000),
    ],
)
def test_the_servers_wait_moves_the_clock(
    tool: str,
    arguments: dict[str, Any],
    given: dict[str, Any],
    milliseconds: int,
    new_session: Callable[..., Session],
) -> None:
    session = new_session()
    with session.context.transaction():
        state.load(session.context, {"firecrawl": {"page": [PAGE], **given}})
    before = session.context.read_meta().clock
    dispatch(session, load_app("firecrawl"), tool, arguments)
    assert session.context.read_meta().clock.at_ms - before.at_ms == before.tick_ms + milliseconds


def test_a_crawl_continues_during_other_calls(new_session: Callable[..., Session]) -> None:
    session = new_session()
    statuses: list[str] = []
    started = _text(session, "firecrawl_crawl", {"url": "http://seagull.site.test", "limit": 3})
    job = started.split("job ID: ")[1].split(".")[0]
    for _ in range(8):
        statuses.append(_text(session, "firecrawl_check_crawl_status", {"id": job}).splitlines()[1])
    assert statuses[0] == "Status: scraping"
    assert statuses[-1] == "Status: completed"
    last = _text(session, "firecrawl_check_crawl_status", {"id": job})
    assert "Progress: 3/3" in last
    assert last.count("URL: Unknown URL") == 3


def _text(session: Session, tool: str, arguments: dict[str, Any]) -> str:
    made = dispatch(session, load_app("firecrawl"), tool, arguments)
    assert made.reply is not None
    return str(made.reply["content"][0]["text"])
