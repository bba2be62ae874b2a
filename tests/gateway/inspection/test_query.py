"""SQL queries by users: which data they may read, which statements are refused with which message, and that nothing changes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.state import load
from soundstage.contexts.engine.store import digest
from soundstage.gateway.inspection import query as box
from soundstage.gateway.inspection.query import query
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.session import Session
from tests.conftest import START_S
from tests.gateway.inspection.in_process_reader import InProcessReader

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def session(new_session: Callable[..., Session]) -> Session:
    """A session with two people in Lark, one with a Chinese name, and one step in its journal."""
    made = new_session()
    with made.context.step("state", "state", {}) as step:
        people = [{"open_id": "ou_1", "name": "何静"}, {"open_id": "ou_2", "name": "Lin Yue"}]
        load(made.context, {"lark": {"user": people}})
        step.ok = True
    return made


async def test_a_select_reads_the_objects_and_the_journal(session: Session) -> None:
    result = await query(
        InProcessReader(), session, "SELECT name, length(name) AS long FROM lark_user ORDER BY open_id;  -- all"
    )
    assert result.columns == ["name", "long"]
    assert result.rows == [["何静", 2], ["Lin Yue", 7]]
    assert result.cut is None
    steps = await query(InProcessReader(), session, "SELECT step, kind, hex(zero) FROM _journal, (SELECT 'a' AS zero)")
    assert steps.rows == [[1, "state", "61"]]
    nested = (
        "WITH u AS (SELECT * FROM lark_user) SELECT count(*), instr('在上海', '上'), replace('aXa', 'a', 'b') FROM u"
    )
    assert (await query(InProcessReader(), session, nested)).rows == [[2, 2, "bXb"]]
    assert (await query(InProcessReader(), session, "SELECT value FROM json_each('[1, null]')")).rows == [[1], [None]]
    none = await query(InProcessReader(), session, "SELECT open_id, x'00ff', 1e999 FROM lark_user WHERE 0")
    assert (none.columns, none.rows) == (["open_id", "x'00ff'", "1e999"], [])
    assert (await query(InProcessReader(), session, "SELECT x'00ff', -1e999")).rows == [["x'00ff'", "-inf"]]


REFUSED = {
    "ATTACH '{evil}' AS other": "ATTACH is not allowed here",
    "ATTACH ':memory:' AS other": "ATTACH is not allowed here",
    "DETACH main": "DETACH is not allowed here",
    "VACUUM": "this is not a SELECT",
    "VACUUM INTO '{evil}'": "this is not a SELECT",
    "PRAGMA journal_mode = DELETE": "PRAGMA is not allowed here",
    "PRAGMA query_only = 0": "PRAGMA is not allowed here",
    "SELECT * FROM pragma_database_list": "pragma_database_list cannot be read here",
    "SELECT count(*) FROM pragma_table_info('lark_user')": "pragma_table_info cannot be read here",
    "SELECT * FROM dbstat": "dbstat cannot be read here",
    "SELECT data FROM sqlite_dbpage": "no such table",
    "SELECT load_extension('{evil}')": "the function load_extension cannot be used here",
    "SELECT writefile('{evil}', 'x')": "no such function: writefile",
    "SELECT readfile('/etc/passwd')": "no such function: readfile",
    "SELECT edit('x')": "no such function: edit",
    "SELECT zeroblob(1000000000)": "the function zeroblob cannot be used here",
    "SELECT randomblob(1000000000)": "the function randomblob cannot be used here",
    "SELECT fts3_tokenizer('simple')": "cannot be used here",
    "SELECT printf('%1000000000d', 1)": "a value would be longer than 2,000,000 bytes",
    "SELECT printf('%.*c', 1500000, 'a') || printf('%.*c', 1500000, 'a')": "a value would be longer",
    "SELECT replace(printf('%.*c', 1500000, 'a'), 'a', 'bbbb')": "a value would be longer",
    "SELECT group_concat(printf('%.*c', 1500000, 'a')) FROM lark_user": "a value would be longer",
    "SELECT 1; SELECT 2": "more than one statement",
    "SELECT 1; DELETE FROM lark_user": "more than one statement",
    "DELETE FROM lark_user": "DELETE is not allowed here",
    "UPDATE _meta SET seed = 1": "UPDATE is not allowed here",
    "INSERT INTO lark_user (open_id, _seq) VALUES ('ou_3', 9)": "INSERT is not allowed here",
    "REPLACE INTO lark_user (open_id, _seq) VALUES ('ou_1', 9)": "REPLACE is not allowed here",
    "WITH x AS (SELECT 1) DELETE FROM lark_user": "DELETE is not allowed here",
    "INSERT INTO lark_user SELECT * FROM lark_user RETURNING *": "INSERT is not allowed here",
    "DROP TABLE lark_user": "DROP is not allowed here",
    "ALTER TABLE lark_user RENAME TO gone": "ALTER is not allowed here",
    "CREATE TABLE mine (a)": "CREATE is not allowed here",
    "CREATE TEMP TABLE mine AS SELECT * FROM lark_user": "CREATE is not allowed here",
    "CREATE VIRTUAL TABLE mine USING fts5(a)": "CREATE is not allowed here",
    "CREATE TEMP TRIGGER t AFTER DELETE ON lark_user BEGIN SELECT 1; END": "CREATE is not allowed here",
    "EXPLAIN DELETE FROM lark_user": "DELETE is not allowed here",
    "BEGIN IMMEDIATE": "BEGIN is not allowed here",
    "SAVEPOINT s": "SAVEPOINT is not allowed here",
    "ANALYZE": "ANALYZE is not allowed here",
    "REINDEX": "REINDEX is not allowed here",
    "SELECT ?": "placeholders",
    "SELEC 1": "SQLite does not understand it: near",
    "SELECT nowhere FROM lark_user": "no such column: nowhere",
    "SELECT cast(x'ff' AS TEXT)": "not UTF-8",
    "SELECT '\ud800'": "a character in it that no text has",
    "SELECT '\x00'": "a character in it that no text has",
    "-- nothing": "not a SELECT",
    " ": "there is no statement",
    "SELECT " + "1," * 6000 + "1": "at most 10,000 are taken",
    "SELECT " + "1," * 200 + "1": "too many columns",
    "SELECT " + "+" * 3000 + "1": "Recursion limit",
}  # fmt: skip


@pytest.mark.parametrize("statement", REFUSED)
async def test_statements_that_write_or_exceed_limits_are_refused_and_change_nothing(
    session: Session, tmp_path: Path, statement: str
) -> None:
    evil = tmp_path / "evil"
    before = digest(session.context)
    with pytest.raises(BadRequest) as refused:
        await query(InProcessReader(), session, statement.replace("{evil}", str(evil)))
    assert REFUSED[statement] in str(refused.value)
    assert os.listdir(tmp_path) == []
    assert digest(session.context) == before
    assert journal.last_step(session.context) == 1
    assert session.users == 0


async def test_another_sessions_file_cannot_be_read(session: Session, tmp_path: Path) -> None:
    import apsw

    other = tmp_path / "ses_other.db"
    apsw.Connection(str(other)).execute("CREATE TABLE secret (a); INSERT INTO secret VALUES (1)")
    for statement in (f"ATTACH '{other}' AS o", f"ATTACH 'file:{other}?mode=ro' AS o", "SELECT * FROM o.secret"):
        with pytest.raises(BadRequest):
            await query(InProcessReader(), session, statement)


@pytest.mark.parametrize(
    "statement",
    [
        ENDLESS,
        ENDLESS.replace("count(*)", "sum(printf('%.*c', 900000, 'a') LIKE '%a%a%ab%')"),
        "SELECT count(*) FROM sqlite_schema a, sqlite_schema b, sqlite_schema c, sqlite_schema d, sqlite_schema e",
        ENDLESS.replace("count(*)", "i") + " ORDER BY -i",
    ],
)  # fmt: skip
async def test_a_slow_statement_is_stopped_and_blocks_no_other_client(
    session: Session, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setattr(box, "MOST_SECONDS", 0.3)
    started = time.monotonic()
    task = asyncio.ensure_future(query(InProcessReader(), session, statement))
    turns = 0
    while not task.done():
        await asyncio.sleep(0.01)
        turns += 1
        if turns == 2:  # the session continues meanwhile, and is not changed under the reader
            with session.context.step("state", "state", {}) as step:
                load(session.context, {"lark": {"user": []}})
                step.ok = True
    with pytest.raises(BadRequest, match=r"longer than 0\.3 s and was stopped"):
        await task
    assert turns > 3
    assert time.monotonic() - started < START_S
    assert journal.last_step(session.context) == 2


async def test_values_that_are_slow_to_search_in_one_step_are_refused(session: Session) -> None:
    longest = "printf('%.*c', 1900000, 'a')"
    for call in (f"instr({longest}, printf('%.*c', 900000, 'a') || 'b')", f"{longest} LIKE '%{'a%' * 90}b'"):
        started = time.monotonic()
        assert (await query(InProcessReader(), session, f"SELECT {call}")).rows == [[0]]
        assert time.monotonic() - started < START_S


async def test_many_rows_and_long_values_are_cut_and_the_result_says_so(session: Session) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
    many = await query(InProcessReader(), session, numbers + "i FROM n")
    assert [row[0] for row in many.rows] == list(range(1, 1001))
    assert many.cut == "there are more than 1,000 rows; these are the first"
    long = await query(InProcessReader(), session, numbers + "printf('%.*c', 300000, 'a') FROM n")
    assert len(long.rows) == 6
    assert long.cut is not None
    assert "more than 2,000,000 bytes" in long.cut
