"""SQL queries of users on a session's current state, read-only and within limits."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass

import apsw

from soundstage.contexts.engine.schema import SqlValue
from soundstage.contexts.engine.store import Context
from soundstage.gateway.inspection.interruption import interrupted_after
from soundstage.gateway.inspection.reader import ALL, Reader
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.session import Session

MOST_CHARACTERS = 10_000
MOST_ROWS = 1_000
MOST_BYTES = 2_000_000
MOST_SECONDS = 2.0

_LIMITS = {
    apsw.SQLITE_LIMIT_LENGTH: MOST_BYTES,
    apsw.SQLITE_LIMIT_SQL_LENGTH: 4 * MOST_CHARACTERS,  # in bytes
    apsw.SQLITE_LIMIT_COLUMN: 100,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 100,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 30,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
FUNCTIONS = frozenset((
    "abs", "avg", "ceil", "ceiling", "char", "coalesce", "concat", "concat_ws", "count", "cume_dist", "date", "datetime",
    "dense_rank", "exp", "first_value", "floor", "format", "glob", "group_concat", "hex", "ifnull", "iif", "instr", "json",
    "json_array", "json_array_length", "json_error_position", "json_extract", "json_group_array", "json_group_object",
    "json_insert", "json_object", "json_patch", "json_pretty", "json_quote", "json_remove", "json_replace", "json_set",
    "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like", "ln", "log", "log10", "log2",
    "lower", "ltrim", "max", "median", "min", "mod", "nth_value", "ntile", "nullif", "octet_length", "percent_rank",
    "percentile", "pi", "pow", "power", "printf", "quote", "rank", "replace", "round", "row_number", "rtrim", "sign",
    "sqrt", "strftime", "string_agg", "substr", "substring", "sum", "time", "timediff", "total", "trim", "trunc", "typeof",
    "unhex", "unicode", "unixepoch", "upper", "->", "->>",
))  # fmt: skip
_ALLOWED = {apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE}
_FURTHER_TABLES = {"sqlite_master", "sqlite_schema", "json_each", "json_tree"}


Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a statement. `cut` is a message if the result is incomplete, otherwise None. Blobs are written as in SQL."""

    columns: list[str]
    rows: list[list[Cell]]
    cut: str | None
    duration_us: int


async def query(reader: Reader, session: Session, text: str) -> QueryResult:
    """Run one SELECT on the session's current state.

    Raises:
        BadRequest: the text is not a SELECT, is not permitted, is rejected by SQLite, or takes too long.
        TooManyReadings, ReadingBroken, DiskFull, ContextError: see `Reader.read`.
    """
    statement = text.strip()
    if not statement:
        raise BadRequest("there is no statement; write a SELECT, such as SELECT step, tool FROM _journal")
    if len(statement) > MOST_CHARACTERS:
        raise BadRequest(f"the statement has {len(statement):,} characters; at most {MOST_CHARACTERS:,} are taken")
    if "\x00" in statement or any("\ud800" <= c <= "\udfff" for c in statement):
        raise BadRequest("the statement has a character in it that no text has (NUL, or half of a pair)")
    return await reader.read(session, run, statement, steps=ALL)


def run(copy: Context, statement: str) -> QueryResult:
    """Run a statement in a reader. The context's connection cannot be used for anything else afterwards.

    Raises:
        BadRequest: see `query`.
    """
    try:
        with interrupted_after(copy.connection, MOST_SECONDS):
            return _run(copy, statement)
    except apsw.InterruptError:
        raise BadRequest(
            f"the statement took longer than {MOST_SECONDS:g} s and was stopped; narrow it down, or add a LIMIT"
        ) from None


def _run(copy: Context, statement: str) -> QueryResult:
    connection = copy.connection
    tables = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    guard = _Guard(tables | _FURTHER_TABLES, statement)
    for limit, most in _LIMITS.items():
        connection.limit(limit, most)
    connection.create_scalar_function("instr", _instr, 2, deterministic=True)
    connection.create_scalar_function("replace", _replace, 3, deterministic=True)
    connection.execute("PRAGMA query_only = 1")
    connection.authorizer = guard.authorize
    cursor = connection.cursor()
    cursor.exec_trace = guard.begin
    started = time.perf_counter_ns()
    try:
        rows, cut = _fetch(cursor.execute(statement, can_cache=False))
    except apsw.InterruptError:
        raise
    except apsw.TooBigError:
        raise BadRequest(
            f"a value would be longer than {MOST_BYTES:,} bytes; the tables as files have long ones"
        ) from None
    except apsw.BindingsError:
        raise BadRequest("the statement has placeholders (?, :name); write the values themselves") from None
    except apsw.Error as error:
        raise BadRequest(guard.refused or f"SQLite does not understand it: {error}") from None
    except UnicodeDecodeError:
        raise BadRequest("a text that it gives is not UTF-8; select it as hex(…)") from None
    return QueryResult(guard.columns, rows, cut, (time.perf_counter_ns() - started) // 1000)


class _Guard:
    """Decides which operations of a statement are permitted, and records the reason of a refusal."""

    def __init__(self, tables: set[str], statement: str) -> None:
        self.refused: str | None = None
        self.columns: list[str] = []
        self._tables = tables
        self._statement = statement
        self._selects = self._begun = False

    def authorize(
        self, operation: int, first: str | None, second: str | None, database: str | None, inside: str | None
    ) -> int:
        """Authorize one operation of a statement; SQLite calls this for each."""
        if operation in _ALLOWED:
            self._selects = True
        elif operation == apsw.SQLITE_READ:
            # A count(*) names no column, and may be of a subquery; anything else must be a table.
            if first not in self._tables and (second or _is_machinery(first or "")):
                self._refuse(f"{first} cannot be read here; {_TABLES}")
        elif operation == apsw.SQLITE_FUNCTION:
            if (second or "").lower() not in FUNCTIONS:
                self._refuse(f"the function {second} cannot be used here; there are: {', '.join(sorted(FUNCTIONS))}")
        else:
            verb = self._statement.split(maxsplit=1)[0].upper()
            operation_name = str(apsw.mapping_authorizer_function[operation]).removeprefix("SQLITE_").replace("_", " ")
            self._refuse(f"{operation_name if verb in _READING else verb} is not allowed here: {_READS}")
        return apsw.SQLITE_OK if self.refused is None else apsw.SQLITE_DENY

    def begin(self, cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        """Authorize a statement before it runs."""
        rest = sql if self._begun else self._statement[len(sql) :]
        if _BLANK.sub("", rest):
            self._refuse("there is more than one statement; send them one by one")
        elif self._begun:
            pass  # a comment after the statement
        elif not self._selects or not cursor.is_readonly:
            self._refuse(f"this is not a SELECT: {_READS}")
        else:
            self.columns = [name for name, *_ in cursor.get_description()]
            self._begun = True
        return self.refused is None

    def _refuse(self, words: str) -> None:
        self.refused = self.refused or words


_READS = "statements only read here, with SELECT"
_READING = ("SELECT", "WITH", "VALUES", "EXPLAIN")
_TABLES = "the session's own tables are listed below “Data”, and sqlite_schema has how they are made"
_BLANK = re.compile(r"--[^\n]*(?:\n|$)|/\*.*?\*/|[\s;]", re.DOTALL)


def _is_machinery(name: str) -> bool:
    """Whether a name belongs to one of SQLite's internal tables."""
    return name.startswith(("pragma_", "sqlite_", "dbstat", "bytecode", "tables_used", "fts", "rtree"))


def _fetch(cursor: apsw.Cursor) -> tuple[list[list[Cell]], str | None]:
    rows: list[list[Cell]] = []
    size = 0
    for row in cursor:
        if len(rows) == MOST_ROWS:
            return rows, f"there are more than {MOST_ROWS:,} rows; these are the first"
        size += sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row)
        if size > MOST_BYTES:
            return rows, f"the rows have more than {MOST_BYTES:,} bytes; {len(rows)} of them are shown"
        rows.append([_cell(cell) for cell in row])
    return rows, None


def _cell(value: SqlValue) -> Cell:
    """Convert a value to JSON."""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


# SQLite's own versions scan the text once for each character, in a single step that cannot be interrupted.


def _instr(*values: SqlValue) -> SqlValue:
    text, wanted = values
    return None if text is None or wanted is None else _text(text).find(_text(wanted)) + 1


def _replace(*values: SqlValue) -> SqlValue:
    text, wanted, by = values
    if text is None or wanted is None or by is None:
        return None
    whole, old, new = _text(text), _text(wanted), _text(by)
    if not old:
        return whole
    if len(whole) + whole.count(old) * (len(new) - len(old)) > MOST_BYTES:
        raise apsw.TooBigError("string or blob too big")
    return whole.replace(old, new)


def _text(value: SqlValue) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
