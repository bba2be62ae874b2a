"""The stored journal: one row per step inside the context, with the receipt as a changeset.

Because a receipt is a changeset, it is also the undo data (`rewind`), and the difference between two steps is computed from
receipts. `soundstage.gateway.journal` renders rows for people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import apsw
import orjson

from soundstage.contexts.engine import checkpoints
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.receipts import Receipt
from soundstage.contexts.engine.schema import Entity, SqlValue

if TYPE_CHECKING:
    from soundstage.contexts.engine.store import Context

_COLUMNS = (
    "step, kind, at, user, client, app, tool, arguments, ok, is_error, error_kind, reply, fault, changeset, "
    "duration_us, before"
)

_ROWS_AT_ONCE = 200
_MANY = 5000  # rows, which are removed in some ten milliseconds

Kind = Literal[
    "call", "upstream", "search", "model", "limit", "state", "clock", "faults", "drift", "duplicate", "wish", "event"
]
"""The kind of a step.

`call`: a tool of a simulated app; `upstream`: a tool of a real server; `search`: a search tool; `model`: a language model's
answer for the call that follows; `limit`: the executions of the previous call that were stopped (see `execution_limits`);
`state`, `clock`, `faults`: a change made through the control plane; `drift`, `duplicate`, `wish`: made by a fault before the
affected call (another person's change, an earlier delivery of the same call, a mid-task request of the user); `event`: an
event of the world.
"""

TICKING: frozenset[Kind] = frozenset({"call", "upstream"})
"""The kinds of step that move a ticking clock."""

MADE_BY_PEOPLE: frozenset[Kind] = frozenset({"call", "upstream", "search", "duplicate"})
"""The kinds of step in which a person of the world acts."""

MADE_BY_FAULT: frozenset[Kind] = frozenset({"drift", "duplicate", "wish"})


@dataclass(frozen=True, slots=True)
class Caller:
    """The acting person and client.

    `user` is a person of the world, or None for the session's user. `client` is the program that sent the call, by the name it
    introduced itself with, or None.
    """

    user: str | None = None
    client: str | None = None


SESSION_USER = Caller()
"""The session's user, through a client that did not introduce itself."""


@dataclass(frozen=True, slots=True)
class Row:
    """One step. A step that belongs to no app has no `app`, and `tool` names the action."""

    step: int
    kind: Kind
    at_ms: int
    caller: Caller
    app: str | None
    tool: str
    arguments: Any
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: Any
    fault: str | None
    receipt: Receipt
    duration_us: int


_OPERATIONS: dict[str, Literal["insert", "update", "delete"]] = {
    "INSERT": "insert",
    "UPDATE": "update",
    "DELETE": "delete",
}


class Change(TypedDict):
    """One row that a step inserted, updated or deleted. Of an update, only the fields that changed."""

    app: str
    entity: str
    id: SqlValue | list[SqlValue]
    op: Literal["insert", "update", "delete"]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def number_of_calls(context: Context) -> int:
    """How many calls of apps' tools, simulated or real, the journal has."""
    counted: Any = context.execute("SELECT count(*) FROM _journal WHERE kind IN ('call', 'upstream')").fetchone()
    return int(counted[0])


def read(context: Context, *, after: int = 0, limit: int | None = None, kind: Kind | None = None) -> Iterator[Row]:
    """The steps after `after`, oldest first, all or those of a kind. Between some of them and the next the context is free."""
    of_kind, kinds = ("", ()) if kind is None else ("AND kind = ? ", (kind,))
    query = f"SELECT {_COLUMNS} FROM _journal WHERE step > ? {of_kind}ORDER BY step LIMIT ?"  # noqa: S608 constant
    left = 2**62 if limit is None else limit
    while left > 0:
        wanted = min(left, _ROWS_AT_ONCE)
        rows: Any = context.execute(query, (after, *kinds, wanted)).fetchall()
        yield from map(_row, rows)
        if len(rows) < wanted:
            return
        after, left = rows[-1][0], left - wanted


def _row(cells: tuple[Any, ...]) -> Row:
    (
        step,
        kind,
        at,
        user,
        client,
        app,
        tool,
        arguments,
        ok,
        is_error,
        error,
        reply,
        fault,
        changeset,
        duration,
        before,
    ) = cells
    return Row(
        step,
        kind,
        at,
        Caller(user, client),
        app,
        tool,
        None if arguments is None else orjson.loads(arguments),
        bool(ok),
        None if is_error is None else bool(is_error),
        error,
        None if reply is None else orjson.loads(reply),
        fault,
        Receipt(changeset, before),
        duration,
    )


def last_step(context: Context) -> int:
    """The number of the newest step; 0 for a fresh session."""
    return context.read_meta().step


def check_step(context: Context, step: int) -> None:
    """Refuse a step that never was.

    Raises:
        ContextError: naming the steps there are.
    """
    newest = last_step(context)
    if not 0 <= step <= newest:
        raise ContextError(f"there is no step {step}: this session has steps 0 (its start) to {newest}")


def _check_tables(context: Context, step: int) -> None:
    app: Any = context.execute("SELECT name, since FROM _app WHERE since > ? ORDER BY since DESC", (step,)).fetchone()
    if app is not None:
        raise ContextError(
            f"the context cannot be restored to before step {app[1]}, in which its {app[0]} tables were migrated; "
            "a reset restarts the session from its world"
        )


def rewind(context: Context, step: int) -> None:
    """Restore the context to its state after `step` (0: its start), in one transaction.

    Raises:
        ContextError: the step does not exist, or precedes a migration of an app's tables.
    """
    # Deleted rows must fit in again before the journal frees space, so a full context could not be rewound under the limit.
    with context.without_limit(), context.transaction():
        check_step(context, step)
        _check_tables(context, step)
        undone = context.execute("SELECT before FROM _journal WHERE step = ?", (step + 1,)).fetchone()
        if undone is None:
            return
        for undo in checkpoints.undo(context.connection, step, last_step(context)):
            _apply(undo, context.connection)
        _cut_off(context, step)
        checkpoints.forget(context.connection, after=step)
        context.restore_meta(undone[0])


def _cut_off(context: Context, step: int) -> None:
    """Remove the rows after a step. SQLite writes each page that it takes rows from, unless it empties a table."""
    newest = last_step(context)
    if 8 * step > newest or newest - step < _MANY:
        context.execute("DELETE FROM _journal WHERE step > ?", (step,))
        return
    context.execute("CREATE TEMP TABLE _kept AS SELECT * FROM _journal WHERE step <= ?", (step,))
    context.execute("DELETE FROM _journal")
    context.execute("INSERT INTO _journal SELECT * FROM temp._kept ORDER BY step")
    context.execute("DROP TABLE temp._kept")


def _apply(changeset: bytes, connection: apsw.Connection) -> None:
    """Apply a changeset. It is handed over bit by bit: in between, and only there, other threads have their turn."""
    rest = BytesIO(changeset)
    apsw.Changeset.apply(lambda amount: rest.read(amount), connection)


def net_changeset(context: Context, *, after: int, until: int | None = None) -> bytes:
    """Merge the receipts of the steps after `after` (up to `until`) into the net change between the two."""
    return checkpoints.merged(context.connection, after, until if until is not None else 2**62)


def changes(context: Context, changeset: bytes) -> list[Change]:
    """A receipt as rows, in the order of apps and entities; the session's own bookkeeping is left out."""
    by_table = {entity.table.name: entity for tables in context.tables.values() for entity in tables.entities.values()}
    columns = {name: list(entity.stored) for name, entity in by_table.items()}
    rows: list[Change] = []
    for change in apsw.Changeset.iter(changeset):
        entity = by_table.get(change.name)
        if entity is not None:
            rows.append(_change(entity, columns[change.name], change.op, change.old, change.new))
    order = {name: i for i, name in enumerate(by_table)}
    rows.sort(key=lambda c: (order[f"{c['app']}_{c['entity']}"], str(c["id"])))
    return rows


def _change(
    entity: Entity, columns: list[str], op: str, old: tuple[Any, ...] | None, new: tuple[Any, ...] | None
) -> Change:
    keyed = dict(zip(columns, old if old is not None else new or (), strict=True))
    key = [keyed[name] for name in entity.key]
    return Change(
        app=entity.app,
        entity=entity.name,
        id=key[0] if len(key) == 1 else key,
        op=_OPERATIONS[op],
        before=None if old is None else _visible(entity, columns, old, op),
        after=None if new is None else _visible(entity, columns, new, op),
    )


def _visible(entity: Entity, columns: list[str], cells: tuple[Any, ...], op: str) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, cell in zip(columns, cells, strict=True):
        if cell is apsw.no_change or name == "_seq" or (op == "UPDATE" and name in entity.key):
            continue
        if name == "_extra":
            value.update(orjson.loads(cell) if cell is not None else {})
        elif cell is not None or op == "UPDATE":
            value[name] = entity.decode_field(name, cell)
    return value
