"""Long strings that once blocked the gateway, and a seeded sample of what `make fuzz-calls LONG=1` calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from soundstage.contexts.engine import journal
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app, load_apps
from soundstage.servers.limits import limit_of
from tests.gateway.long_strings import LongStrings

PICTURE = {"prompt": "a tin roof", "imageUrl": "https://pictures.example/roof.png"}


@pytest.mark.parametrize("tool", ["editImage", "generateImageFromReference"])
def test_a_server_that_never_answers_is_its_timeout(tool: str, new_session: Callable[..., Session]) -> None:
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
    ],
)
def test_no_kernel_raises(app: str, tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]) -> None:
    with capture_logs() as logs:
        dispatch(new_session(world="studio"), load_app(app), tool, arguments)
    assert logs == []


def test_an_even_number_of_dashes_asks_for_the_word(new_session: Callable[..., Session]) -> None:
    session, app = new_session(world="studio"), load_app("gmail")
    found = {n: dispatch(session, app, "search_emails", {"query": "-" * n + "invoice"}).reply for n in range(4)}
    assert found[0] == found[2] != found[1] == found[3]


@pytest.mark.parametrize("app", load_apps())
def test_a_string_beyond_the_limit_is_refused(app: str, new_session: Callable[..., Session]) -> None:
    session, of = new_session(world="studio"), load_app(app)
    for tool in of.tools.values():
        answer = dispatch(session, of, tool.name, {"text": ["x" * (limit_of(tool) + 1)]}).answer
        assert not answer.ok
        assert answer.error_kind == "limit", tool.name
        assert "413 Payload Too Large" in str(answer.wire()), tool.name
        (row,) = journal.read(session.context, after=journal.last_step(session.context) - 1)
        assert journal.changes(session.context, row.receipt.changeset) == []
        journal.rewind(session.context, 0)


@pytest.mark.long
@pytest.mark.parametrize("app", load_apps())
def test_a_sample_of_long_strings_breaks_nothing(app: str, worlds_folder: Path) -> None:
    found = LongStrings("studio", worlds_folder).run(load_app(app), share=0.003, sizes=(20_000,), most_cpu_s=1.0)
    assert found.broken == []
