"""Long strings that once blocked the gateway, and a seeded sample of the calls of `make fuzz-calls LONG=1`."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from soundstage.contexts.engine import journal
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.engines.digits import bounded_integer
from soundstage.kernels.engines.web.cleaning import cleaned
from soundstage.kernels.filesystem.edit_file import _fenced
from soundstage.kernels.obsidian.rules.search import _matches
from soundstage.servers.catalogue import load_app, load_apps
from tests.gateway.long_strings import LongStrings

PICTURE = {"prompt": "a tin roof", "imageUrl": "https://pictures.example/roof.png"}


@pytest.mark.parametrize("tool", ["editImage", "generateImageFromReference"])
def test_a_server_that_never_answers_is_reported_as_a_timeout(tool: str, new_session: Callable[..., Session]) -> None:
    answer = dispatch(new_session(), load_app("mcpollinations"), tool, {**PICTURE, "format": "/.."}).answer
    assert answer.error_kind == "budget_exceeded"
    assert "fetch failed" in str(answer.wire())


@pytest.mark.parametrize(
    ("app", "tool", "arguments"),
    [
        ("gmail", "search_emails", {"query": "-" * 5_000 + "x"}),
        ("gmail", "search_emails", {"query": "from:" + "-" * 5_000 + "x"}),
        ("medical", "search-medical-literature", {"query": "[a](" * 5_000}),
        ("email_163", "get_email_content", {"uid": "0" * 6_000}),
        ("email_163", "get_email_content", {"uid": "7" * 6_000}),
        ("email_163", "get_email_content", {"uid": "7" * 6_000 + ":1"}),
        ("amap", "maps_around_search", {"location": "121.47,31.23", "radius": "0" * 6_000}),
        ("baidu_maps", "map_search_places", {"query": "cafe", "location": "31.23,121.47", "radius": "7" * 6_000}),
        ("gmail", "search_emails", {"query": f'"a AROUND {"7" * 6_000} b"'}),
        ("filesystem", "read_file", {"path": "/srv/workspace/" + "<a></a>" * 8_000}),
        ("filesystem", "read_file", {"path": "/srv/workspace/" + "x" * 300 + "/a" * 1_800}),
        ("lark", "bitable_v1_app_create", {"data": {"time_zone": "<a></a>" * 8_000}}),
        ("obsidian", "obsidian_complex_search", {"query": {"var": "7" * 6_000}}),
    ],
)
def test_no_kernel_raises_on_strings_that_once_failed(
    app: str, tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    with capture_logs() as logs:
        dispatch(new_session(world="studio"), load_app(app), tool, arguments)
    assert logs == []


@pytest.mark.parametrize(
    "tag", ["____::", "a b " * 15_000, "a, " * 500 + "b", "a " * 900 + "b", "_" * 1_900 + "|b"], ids=lambda tag: tag[:4]
)
def test_no_selector_breaks_the_html_cleanup(tag: str) -> None:
    html = "<html><body><p>kept</p></body></html>"
    assert cleaned(html, "https://a.example/", main=False, include=(), exclude=[tag]) == "<p>kept</p>"
    assert cleaned(html, "https://a.example/", main=False, include=[tag], exclude=()) == ""


def test_the_fence_of_a_diff_is_longer_than_any_run_of_backticks() -> None:
    assert _fenced("a``b") == "```diff\na``b```\n\n"
    assert _fenced("a````b```c") == "`````diff\na````b```c`````\n\n"
    assert _fenced("`" * 500_000).startswith("`" * 500_001 + "diff")


def test_matches_of_a_search_are_counted_in_utf_16_units() -> None:
    matches = _matches("\U0001f600 ab \U0001f600 ab", [(2, 4), (7, 9)], 2)
    assert [match["match_position"] for match in matches] == [{"start": 3, "end": 5}, {"start": 9, "end": 11}]
    assert matches[0]["context"] == "\ude00 ab \ud83d"


@pytest.mark.parametrize(
    ("digits", "number"), [("0", 0), ("٣", 3), ("0" * 6_000 + "50", 50), ("7" * 6_000, 101), ("101", 101)]
)
def test_numbers_of_any_length_are_bounded(digits: str, number: int) -> None:
    assert bounded_integer(digits, 100) == number


def test_an_even_number_of_dashes_searches_for_the_word(new_session: Callable[..., Session]) -> None:
    session, app = new_session(world="studio"), load_app("gmail")
    replies = {n: dispatch(session, app, "search_emails", {"query": "-" * n + "invoice"}).reply for n in range(4)}
    assert replies[0] == replies[2] != replies[1] == replies[3]


@pytest.mark.parametrize("app", load_apps())
def test_a_string_beyond_the_limit_is_refused(app: str, new_session: Callable[..., Session]) -> None:
    session, of = new_session(world="studio"), load_app(app)
    for tool in of.tools.values():
        answer = dispatch(session, of, tool.name, {"text": ["x" * (tool.longest_string + 1)]}).answer
        assert not answer.ok
        assert answer.error_kind == "limit", tool.name
        assert "413 Payload Too Large" in str(answer.wire()), tool.name
        (row,) = journal.read(session.context, after=journal.last_step(session.context) - 1)
        assert journal.changes(session.context, row.receipt.changeset) == []
        journal.rewind(session.context, 0)


@pytest.mark.parametrize("app", load_apps())
def test_a_sample_of_long_strings_breaks_nothing(app: str, worlds_folder: Path) -> None:
    """No kernel raises or exceeds its budget. The time limit of `make fuzz-calls` is not applied, because it depends on the
    machine.
    """
    result = LongStrings("studio", worlds_folder).run(load_app(app), share=0.002, sizes=(20_000,), most_cpu_s=inf)
    assert result.calls > 0 or len(load_app(app).tools) < 20
    assert result.broken == []
