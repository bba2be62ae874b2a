"""Export of tables and the timeline as files: complete, in order, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import orjson
import pytest

from soundstage.contexts.engine.state import load
from soundstage.gateway.inspection.tables import as_csv, as_json, tables, timeline_csv
from soundstage.gateway.sessions.session import Session

MESSAGES = [
    {"channel": "C1", "ts": "2.0", "text": '=HYPERLINK("http://evil.example")', "reply_count": -3, "reactions": [{"name": "+1"}]},
    {"channel": "C1", "ts": "1.0", "text": '多行\n"文字", 逗号', "undeclared": True},
]  # fmt: skip


@pytest.fixture
def session(new_session: Callable[..., Session]) -> Session:
    made = new_session()
    with made.context.step("state", "state", {"note": "@SUM(1)"}) as step:
        load(made.context, {"slack": {"message": MESSAGES}})
        step.ok = True
    return made


def test_a_table_as_json_equals_its_objects(session: Session) -> None:
    assert orjson.loads(b"".join(as_json(session.context, "slack", "message"))) == MESSAGES
    assert orjson.loads(b"".join(as_json(session.context, "slack", "channel"))) == []


def test_a_table_as_csv_has_every_field_and_no_formula(session: Session) -> None:
    text = b"".join(as_csv(session.context, "slack", "message")).decode()
    first, second = csv.DictReader(io.StringIO(text, newline=""))
    assert first["text"] == '\'=HYPERLINK("http://evil.example")'
    assert (first["reply_count"], first["reactions"]) == ("-3", '[{"name":"+1"}]')
    assert (second["text"], second["_extra"]) == ('多行\n"文字", 逗号', '{"undeclared":true}')
    assert b"".join(as_csv(session.context, "slack", "channel")).decode().startswith("id,")


def test_the_timeline_as_csv_has_a_row_for_each_step(session: Session) -> None:
    (row,) = csv.DictReader(io.StringIO(b"".join(timeline_csv(session.context)).decode(), newline=""))
    assert (row["step"], row["kind"], row["ok"], row["arguments"]) == ("1", "state", "1", '{"note":"@SUM(1)"}')
    assert [c["op"] for c in orjson.loads(row["changes"])] == ["insert", "insert"]


def test_large_tables_are_sent_in_pieces(session: Session) -> None:
    many = [{"channel": "C1", "ts": f"{n}.0", "text": "灯" * 50} for n in range(2000)]
    with session.context.step("state", "state", {}) as step:
        load(session.context, {"slack": {"message": many}})
        step.ok = True
    pieces = list(as_json(session.context, "slack", "message"))
    assert len(pieces) >= 3
    assert len(orjson.loads(b"".join(pieces))) == 2000


def test_the_list_of_tables_has_the_apps_and_the_sessions_own(session: Session) -> None:
    infos = {t.name: t for t in tables(session.context)}
    assert (infos["slack_message"].app, infos["slack_message"].entity, infos["slack_message"].rows) == (
        "slack",
        "message",
        2,
    )
    assert ("text", "TEXT") in infos["slack_message"].columns
    assert (infos["_journal"].app, infos["_journal"].rows) == (None, 1)
