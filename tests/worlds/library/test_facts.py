"""Two hundred facts of the library, requested from every app that has them: all apps report the same."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from soundstage.contexts.engine.clock import parse_moment
from soundstage.gateway.sessions.session import Session
from tests.worlds.library.app_facts import Asking, Fact
from tests.worlds.library.facts import KINDS

Kind = Callable[[Asking, Random, int], list[Fact]]

_NOW = "2026-11-20T08:03:00Z"
_QUICK = 8
"""The quick sample contains one of this many facts."""
_TELLING = {
    *("amap", "baidu_maps", "google_maps", "google_search", "tavily", "firecrawl", "playwright", "puppeteer"),
    *("deep_research", "deepseek", "mcpollinations", "tushare", "finance", "context7", "medical"),
}


def drawn(new_session: Callable[..., Session], kind: Kind, count: int) -> list[Fact]:
    facts = kind(Asking(new_session(at=_NOW), parse_moment(_NOW)), Random(f"facts {kind.__name__}"), count)
    assert len({fact.key for fact in facts}) == count
    return facts


def test_a_sample_of_facts_is_the_same_in_every_app(new_session: Callable[..., Session]) -> None:
    facts = [fact for kind, count in KINDS.items() for fact in drawn(new_session, kind, max(1, count // _QUICK))]
    assert [mistake for fact in facts for mistake in fact.mistakes()] == []
    assert {app.split()[0] for fact in facts for app in fact.reported} == _TELLING


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_facts_of_a_kind_are_the_same_in_every_app(new_session: Callable[..., Session], kind: Kind) -> None:
    assert [mistake for fact in drawn(new_session, kind, KINDS[kind]) for mistake in fact.mistakes()] == []


def test_two_hundred_facts_are_drawn() -> None:
    assert sum(KINDS.values()) == 200
