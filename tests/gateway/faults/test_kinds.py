"""Each fault in each app takes effect, in the app's own words, and no valid arguments can break it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.ledger import ledger
from soundstage.gateway.faults.payload import payload_of
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app, load_apps
from soundstage.servers.faults import GENERAL, Hit, fault_words
from soundstage.servers.reply import Result
from soundstage.servers.tool import Tool
from tests.gateway.calls import ArgumentMaker, texts_of
from tests.gateway.faults.conftest import Faulty, history, post
from tests.gateway.faults.small_state import READS, SMALL_STATE, WRITES

APPS = tuple(SMALL_STATE)
WORDS = {
    ("lark", "rate_limit"): '"code":99991400',
    ("lark", "auth_expired"): '"code":99991663',
    ("notion", "rate_limit"): "(429 rate_limited)",
    ("notion", "timeout"): "timed out after 30000ms",
    ("notion", "auth_expired"): "(401 unauthorized): API token is invalid.",
    ("slack", "rate_limit"): '{"ok":false,"error":"ratelimited"}',
    ("slack", "auth_expired"): '"token_expired"',
    ("xiaohongshu", "rate_limit"): "发表评论失败: 操作太频繁",
    ("xiaohongshu", "timeout"): "发表评论失败: context deadline exceeded",
}
KIND_OF = {
    "rate_limit": "rate_limited",
    "unavailable": "unavailable",
    "server_error": "internal",
    "auth_expired": "unauthorized",
    "timeout": "unavailable",
}


def text(made: CallResult) -> str:
    return str(made.answer.wire()["content"][0]["text"])


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("kind", GENERAL)
def test_tool_level_faults_use_the_apps_words(faulty: Faulty, app: str, kind: str) -> None:
    session = faulty({"rules": [{"fault": kind, "times": 1, "lasts": 1}]})
    made = dispatch(session, load_app(app), *WRITES[app])
    assert (made.answer.ok, made.answer.error_kind) == (False, KIND_OF[kind])
    assert kind in fault_words(app).own
    assert fault_words(app).sources[kind]
    assert WORDS.get((app, kind), "") in text(made)
    assert next(journal.read(session.context)).receipt.changeset == b"", "nothing was done"
    assert dispatch(session, load_app(app), *WRITES[app]).answer.ok


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("kind", GENERAL)
def test_a_fault_in_general_words_has_the_apps_flags_and_layout(faulty: Faulty, app: str, kind: str) -> None:
    session = faulty(None)
    with session.context.transaction():
        for tool in load_app(app).tools.values():
            hit = Hit(tool, {}, session.context.app(app), 30)
            own, general = fault_words(app).wordings[kind](hit), GENERAL[kind](hit)
            assert isinstance(own, Result)
            assert isinstance(general, Result)
            assert (general.ok, general.error_kind) == (False, KIND_OF[kind]), tool.name
            assert (general.is_error, set(general.wire())) == (own.is_error, set(own.wire())), tool.name
            assert "Error: " in general.content[0]["text"]


def test_a_fault_of_an_upstream_tool_is_one_flagged_sentence() -> None:
    tool = Tool("elsewhere", "ask", "Asks.", {"type": "object"}, "read")
    assert fault_words("elsewhere").wordings["unavailable"](Hit(tool, {}, None, 30)).wire() == {
        "content": [{"type": "text", "text": "Error: 503 Service Unavailable"}],
        "isError": True,
    }


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("change", sorted({name for app in APPS for name in fault_words(app).drifts}))
def test_changes_by_others_are_visible_in_the_next_read(faulty: Faulty, app: str, change: str) -> None:
    if change not in fault_words(app).drifts:
        return
    session = faulty({"rules": [{"fault": "drift", "change": change, "match": {"app": app}, "times": 1}]})
    before = state.dump(session.context)
    dispatch(session, load_app(app), *READS[app])
    landed = [e for e in ledger(session.context) if e["landed"]]
    if change in ("event_moves", "document_edited"):  # the small state has neither
        assert landed == []
        return
    (entry,) = landed
    drifted, call = journal.read(session.context)
    assert (drifted.app, drifted.tool, drifted.step, call.step) == (None, "drift", 1, 2)
    assert journal.changes(session.context, call.receipt.changeset) == [], "the call's receipt is the call's"
    assert entry["detail"] == {"change": change}
    assert state.dump(session.context) != before


def test_changes_by_others_leave_spared_rows_alone(faulty: Faulty) -> None:
    keys = [f"{message['channel']}/{message['ts']}" for message in SMALL_STATE["slack"]["message"]]
    drift = {"fault": "drift", "change": "message_edited", "match": {"app": "slack"}}

    def changed(spared: list[str], seed: int) -> list[int]:
        """Return the positions of the changed messages."""
        session = faulty({"rules": [{**drift, "spares": {"slack/message": spared}}]}, seed=seed)
        before = state.dump(session.context, "slack", "message")["slack"]["message"]
        history(session)
        after = state.dump(session.context, "slack", "message")["slack"]["message"]
        return [i for i, row in enumerate(before) if row != after[i]]

    changes = [changed(keys[:3], seed) for seed in range(10)]
    assert sorted({i for which in changes for i in which}) == [3, 4]
    assert sum(map(len, changes)) >= 8
    assert [changed(keys, seed) for seed in range(3)] == [[], [], []]


def test_korotovskys_server_reports_the_retry_delay(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "rate_limit", "retry_after_s": 12}]})
    made = dispatch(session, load_app("slack"), "conversations_history", {"channel_id": "#general"})
    assert (text(made), made.answer.is_error) == ("slack rate limit exceeded, retry after 12s", True)


def test_a_reply_is_changed_in_the_apps_own_formatting(faulty: Faulty) -> None:
    for app in APPS:
        plain, session = faulty(None), faulty({"rules": [{"fault": "corrupt", "how": "null"}]})
        real, made = (dispatch(s, load_app(app), *READS[app]) for s in (plain, session))
        if payload_of(real.answer) is None:  # one line of prose, which has no fields
            assert text(real) == text(made)
            continue
        between = "," if text(real)[:1] in "[{" else "\n"  # in prose a line is a field
        pairs = zip(text(real).split(between), text(made).split(between), strict=True)
        changed = [(a, b) for a, b in pairs if a != b]
        assert len(changed) == 1, (app, changed)
        assert "null" in changed[0][1]


_SAID_AGAIN = {
    "notion": json.loads,
    "telegram": lambda text_content: {"result": text_content},
    "filesystem": lambda text_content: {"content": text_content},
}


@pytest.mark.parametrize("how", ["missing", "null", "type"])
@pytest.mark.parametrize("app", _SAID_AGAIN)
def test_repeated_structured_content_is_changed_too(faulty: Faulty, app: str, how: str) -> None:
    plain, session = faulty(None), faulty({"rules": [{"fault": "corrupt", "how": how}]})
    real, made = (dispatch(one, load_app(app), *READS[app]) for one in (plain, session))
    assert text(real) != text(made)
    assert isinstance(made.answer, Result)
    assert made.answer.structured == _SAID_AGAIN[app](text(made))


def test_structured_content_that_differs_from_the_text_stays_an_object(faulty: Faulty) -> None:
    """DeepSeek's server lists names as lines, and returns an object that counts them."""
    app, tool = load_app("deepseek"), "list_conversations"
    plain, session = faulty(None), faulty({"rules": [{"fault": "corrupt", "how": "null", "match": {"tool": tool}}]})
    real, made = (dispatch(one, app, tool, {}).answer for one in (plain, session))
    assert isinstance(real, Result)
    assert isinstance(made, Result)
    assert made.content[0]["text"].split("\n").count("null") == 1
    assert made.structured == real.structured
    assert real.structured is not None


def test_a_stale_read_shows_an_earlier_state_and_changes_nothing(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "stale_read", "steps": 1, "when": {"call": 3}}]})
    before = history(session)
    post(session, "new")
    digest_after_post = digest(session.context)
    stale, fresh = history(session), history(session)
    assert json.loads(text(stale))["messages"] == json.loads(text(before))["messages"]
    assert "new" in text(fresh)
    assert digest(session.context) == digest_after_post


def test_every_fault_works_with_any_valid_arguments_and_replays(faulty: Faulty, tmp_path: Path) -> None:
    rules = [{"fault": kind, "when": {"probability": 0.08}} for kind in KINDS if not KINDS[kind].per_tool]
    rules = [{**r, "wish": "Be brief."} if r["fault"] == "new_constraint" else r for r in rules]
    rules += [{"fault": kind, "lasts": 2, "when": {"probability": 0.02}} for kind in KINDS if KINDS[kind].per_tool]
    session, again = faulty({"rules": rules}, seed=4), faulty(None, seed=4)
    maker = ArgumentMaker(3, sorted({t for t in texts_of(state.dump(session.context)) if len(t) < 100}))
    apps = list(load_apps(tuple(WRITES)).values())
    for number in range(800):
        app = apps[number // 4 % len(apps)]
        tool = maker.random.choice(list(app.tools.values()))
        turns = [(tool.name, maker.fitting(tool)), WRITES[app.name], READS[app.name], READS[app.name]]
        answer = dispatch(session, app, *turns[number % 4]).answer
        assert not isinstance(answer, Result) or isinstance(answer.structured, dict | None)
    assert {e["fault"] for e in ledger(session.context) if e["landed"]} == set(KINDS)
    assert replay(Sessions(Settings(data=tmp_path)), journal.read(session.context), again) == []
    assert digest(again.context) == digest(session.context)
