"""Searching a text in a session's calls and objects, in any script and at any depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from soundstage.contexts.engine.journal import Caller
from soundstage.contexts.engine.state import load
from soundstage.gateway.inspection import find as finding
from soundstage.gateway.inspection.find import SearchMatches, find
from soundstage.gateway.journal.overview import StepFilter
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.session import Session
from tests.gateway.inspection.in_process_reader import InProcessReader

LARK = {
    "user": [{"open_id": "ou_1", "name": "何静"}],
    "message": [
        {
            "message_id": "om_1",
            "chat_id": "oc_1",
            "body": {"content": orjson.dumps({"text": '她说"灯"\n明天'}).decode()},
        },
        {"message_id": "om_2", "chat_id": "oc_1", "body": {"content": '{"text": "\\u706f at dusk"}'}},
    ],
}
SLACK = {"message": [{"channel": "C1", "ts": "1.0", "text": "Bring the LAMPS", "colour": "灯黄"}]}


@pytest.fixture
def session(new_session: Callable[..., Session]) -> Session:
    """Two apps with a few objects. Steps 2 to 4 are calls: the first succeeded, the second failed, the third had a fault."""
    made = new_session()
    with made.context.step("state", "state", {}) as step:
        load(made.context, {"lark": LARK, "slack": SLACK})
        step.ok = True
    calls: tuple[tuple[str, str, dict[str, Any], bool, str | None], ...] = (
        ("slack", "slack_post_message", {"text": "Lamps for stage three"}, True, None),
        ("lark", "im_v1_message_create", {"data": {"content": '{"text":"灯在哪里"}'}}, False, None),
        ("lark", "im_v1_chat_list", {}, False, '{"fault":"rate_limit","landed":true}'),
    )
    for app, tool, arguments, ok, fault in calls:
        with made.context.step("call", tool, arguments, app=app, caller=Caller(client="lamp-bot/1")) as step:
            step.ok, step.fault, step.reply = ok, fault, {"content": [{"type": "text", "text": "{}"}]}
    return made


async def _find(session: Session, text: str, *, before: int | None = None, **wanted: Any) -> SearchMatches:
    return await find(InProcessReader(), session, text, StepFilter(**wanted), before=before)


async def test_a_text_is_found_in_calls_and_objects_in_any_script_and_at_any_depth(session: Session) -> None:
    result = await _find(session, "灯")
    assert [c.step for c in result.calls] == [3]
    assert [(o.app, o.entity, o.key) for o in result.objects] == [
        ("lark", "message", ["om_1"]),
        ("lark", "message", ["om_2"]),
        ("slack", "message", ["C1", "1.0"]),
    ]
    assert result.objects[2].excerpt.field == "_extra"
    excerpt = result.calls[0].excerpt
    assert excerpt is not None
    assert (excerpt.field, excerpt.match) == ("arguments", "灯")
    assert excerpt.after.startswith("在哪里")


async def test_search_ignores_case_and_finds_quotes_and_line_ends(session: Session) -> None:
    lamps = await _find(session, "lamps")
    assert [c.step for c in lamps.calls] == [2]
    assert lamps.objects[0].excerpt.match == "LAMPS"
    assert [o.key for o in (await _find(session, '她说"灯"\n明天')).objects] == [["om_1"]]
    assert [c.step for c in (await _find(session, "LAMP-BOT")).calls] == [4, 3, 2]
    assert (await _find(session, "%")).objects == []


@pytest.mark.parametrize(
    ("wanted", "steps"),
    [
        ({}, [4, 3, 2, 1]),
        ({"app": "lark"}, [4, 3]),
        ({"tool": "im_v1_chat_list"}, [4]),
        ({"ok": True}, [2, 1]),
        ({"ok": False, "app": "lark"}, [4, 3]),
        ({"faulted": True}, [4]),
        ({"fault": "rate_limit"}, [4]),
        ({"fault": "timeout"}, []),
        ({"tools": (("slack", "slack_post_message"),)}, [2]),
    ],
)
async def test_calls_are_filtered(session: Session, wanted: dict[str, Any], steps: list[int]) -> None:
    result = await _find(session, "", **wanted)
    assert [c.step for c in result.calls] == steps
    assert result.objects == []


async def test_filters_combine_with_a_text(session: Session) -> None:
    assert [o.app for o in (await _find(session, "灯", app="slack")).objects] == ["slack"]
    assert (await _find(session, "灯", ok=True)).calls == []
    assert (await _find(session, "灯", ok=False)).objects == []  # objects have no outcome


async def test_many_calls_are_paged(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "MOST_CALLS", 2)
    first = await _find(session, "lamp-bot")
    assert ([c.step for c in first.calls], first.older) == ([4, 3], 3)
    second = await _find(session, "lamp-bot", before=first.older)
    assert ([c.step for c in second.calls], second.older) == ([2], None)
    monkeypatch.setattr(finding, "MOST_OBJECTS", 1)
    assert (await _find(session, "灯")).more_objects


async def test_a_search_over_its_time_limit_reports_where_it_ended(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MOST_SECONDS", 0.0)
    result = await _find(session, "灯")
    assert result.stopped is not None
    assert "ended among the" in result.stopped
    with pytest.raises(BadRequest, match="at most 200"):
        await _find(session, "x" * 201)
