"""How an app declares its entities, and the SQL made from the declarations.

An app's tables are SQLAlchemy tables with the real API's field names; nested values are `Json` columns. Every table
carries two hidden columns: `_seq`, the order in which objects came to be, and `_extra`, the fields of real objects
that the app does not declare, so that whatever a real API sent goes in and comes out unchanged.

SQLAlchemy is used when modules are imported and when a new shape of query first appears; calls run the strings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import NoneType
from typing import Any, Literal

import orjson
from sqlalchemy import (
    Column,
    Computed,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql import ClauseElement, ColumnElement
from sqlalchemy.types import TypeDecorator

from soundstage.contexts.engine.ids import check_template
from soundstage.contexts.engine.shapes import Shape, fits, misfit

Object = dict[str, Any]
"""One entity's record, by the real API's field names. A field that is absent is not in the dict."""

SqlValue = str | int | float | bytes | None

Misfit = Callable[[Object], str | None]
"""What of an object from outside cannot be kept, and what would be right; None where all of it can."""


class Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
"""Given to `AppContext.update`: the field goes away (None would make a JSON field null)."""

_KEPT: Mapping[str, type] = {"TEXT": str, "INTEGER": int}
"""What a strict column keeps as it is, by its type. A REAL one does not: it has NULL for what is no number."""

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "in")
_DIALECT = sqlite.dialect(paramstyle="qmark")


class Json(TypeDecorator[Any]):
    """A nested value. SQL NULL means the field is absent; JSON null is a value of its own.

    `info=shape(…)` says what its values look like; see `soundstage.contexts.engine.shapes`.
    """

    impl = Text
    cache_ok = True


class Flag(TypeDecorator[bool]):
    """true or false, kept as 1 or 0."""

    impl = Integer
    cache_ok = True


def id_format(template: str) -> dict[str, str]:
    """Column info for ids in the real app's format, such as `om_{hex:32}`; see `soundstage.contexts.engine.ids`."""
    check_template(template)
    return {"id_format": template}


def json_link(name: str, column: str, member: str, **beside: Any) -> Column[Any]:
    """A parent link that a JSON column carries, such as `parent.page_id`.

    SQLite derives it (and indexes it where `parents` names it); queries may filter by it, objects do not carry it.
    `beside` is what the JSON object holds besides the link where a tree leaves the whole column out.
    """
    derived = Computed(f"json_extract({column}, '$.{member}')", persisted=False)
    return Column(name, Text, derived, info={"json_link": (column, member, beside)})


class StateError(ValueError):
    """State that does not fit the declarations. `where` is the path of the mistake, such as `lark.message[0].body`."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self._problem = problem

    def __reduce__(self) -> tuple[type[StateError], tuple[str, str]]:
        return type(self), (self.where, self._problem)  # it comes from other processes, too


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL text with the names of its parameters in order."""

    sql: str
    parameters: tuple[str, ...]


def compile_statement(element: ClauseElement) -> Statement:
    compiled = element.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
    return Statement(str(compiled), tuple(compiled.positiontup or ()))  # type: ignore[attr-defined]


class Entity:
    """One kind of record of an app: its columns, key, parents, and the statements that calls run."""

    def __init__(
        self,
        app: str,
        name: str,
        table: Table,
        open_fields: bool,
        open_shape: Mapping[Any, Shape] | None,
        misfit: Misfit | None,
        backed: str | None = None,
    ) -> None:
        self.app = app
        self._misfit = misfit
        self.backed = backed
        self.name = name
        self.table = table
        self.open_fields = open_fields
        self.parents: dict[str, tuple[str, ...]] = {}
        self.json_links = {str(c.name): c.info["json_link"] for c in table.columns if c.computed is not None}
        # SQLAlchemy's names are a subclass of str, which orjson does not take as a key.
        self.stored = tuple(str(c.name) for c in table.columns if c.computed is None)
        self.fields = tuple(name for name in self.stored if not name.startswith("_"))
        self.quoted = tuple(f'"{name}"' for name in (*self.fields, "_extra"))
        self.key = tuple(str(c.name) for c in table.primary_key.columns)
        self.json_fields = frozenset(c.name for c in table.columns if isinstance(c.type, Json))
        self.flag_fields = frozenset(c.name for c in table.columns if isinstance(c.type, Flag))
        self._field_set = frozenset(self.fields)
        # With a dialect: without, SQLAlchemy makes one for each column.
        self._sql_types = {str(c.name): c.type.compile(_DIALECT) for c in table.columns}
        self.types = {c.name: _type_name(c, self._sql_types[c.name]) for c in table.columns}
        declared = {str(c.name): c.info.get("shape", object) for c in table.columns}
        self._nested: dict[Any, Shape] = {**(open_shape or {}), **declared}
        self._fits_nested = fits(self._nested)
        # Most fields are stored as they are: only the others are looked at when a row is read or written.
        self._kept_otherwise = tuple(n for n in self.fields if n in self.json_fields or n in self.flag_fields)
        self._readers = tuple((n, orjson.loads if n in self.json_fields else bool) for n in self._kept_otherwise)
        self._places = {name: i for i, name in enumerate(self.fields)}
        self.key_positions = tuple(self.stored.index(name) for name in self.key)
        self.id_format: str | None = table.c[self.key[-1]].info.get("id_format")
        self._cells = _names(self.stored)
        marks = ", ".join("?" * len(self.stored))
        self.insert_sql = f"INSERT INTO {table.name} ({self._cells}) VALUES ({marks})"  # noqa: S608
        self.returning = f" RETURNING {self._cells}"
        where = " AND ".join(f'"{k}" = ?' for k in self.key)
        self.get_sql = f"SELECT {', '.join(self.quoted)} FROM {table.name} WHERE {where}"  # noqa: S608
        self.first_sql = f"SELECT {_names((*self.fields, '_extra'))} FROM {table.name} ORDER BY _seq LIMIT 1"  # noqa: S608
        self.cells_sql = f"SELECT {self._cells} FROM {table.name} WHERE {where}"  # noqa: S608
        self.delete_sql = f"DELETE FROM {table.name} WHERE {where} RETURNING {self._cells}"  # noqa: S608
        self.clear_sql = f"DELETE FROM {table.name} RETURNING {self._cells}"  # noqa: S608

    def key_of(self, value: Object) -> tuple[SqlValue, ...]:
        """The key of an object, in the order of `key`."""
        return tuple(value[name] for name in self.key)

    def link_of(self, value: Object, columns: Sequence[str]) -> tuple[SqlValue, ...]:
        """What an object holds in its link columns, derived ones included; None where it holds nothing."""
        found: list[SqlValue] = []
        for name in columns:
            if name in self.json_links:
                column, member, _ = self.json_links[name]
                holder = value.get(column)
                found.append(holder.get(member) if isinstance(holder, dict) else None)
            else:
                found.append(value.get(name))
        return tuple(found)

    def fill_link(self, value: Object, column: str, key: SqlValue) -> None:
        """Link an object that does not say it itself to the parent with this key."""
        if column in self.json_links:
            holder, member, beside = self.json_links[column]
            value.setdefault(holder, {**beside, member: key})
        else:
            value.setdefault(column, key)

    def encode(self, value: Object) -> list[SqlValue]:
        """An object as one value per field, then `_extra`. Absent fields and None outside JSON are SQL NULL."""
        row: list[SqlValue] = [value.get(name) for name in self.fields]
        for name in self._kept_otherwise:
            if name in value:
                row[self._places[name]] = self.encode_field(name, value[name])
        row.append(None if value.keys() <= self._field_set else self.encode_extra(value))
        return row

    def encode_extra(self, value: Object) -> SqlValue:
        """The fields of an object that are not declared, as `_extra` keeps them."""
        extra = {k: v for k, v in value.items() if k not in self._field_set and v is not ABSENT}
        return orjson.dumps(extra).decode() if extra else None

    def encode_field(self, name: str, value: Any) -> SqlValue:
        if value is ABSENT:
            return None
        if name in self.json_fields:
            return orjson.dumps(value).decode()
        if name in self.flag_fields:
            return None if value is None else int(value)
        return value  # type: ignore[no-any-return]

    def decode(self, row: Sequence[SqlValue]) -> Object:
        """One row of `fields` and `_extra` as an object."""
        value: Object = {name: cell for name, cell in zip(self.fields, row, strict=False) if cell is not None}
        for name, read in self._readers:
            if name in value:
                value[name] = read(value[name])
        if row[-1] is not None:
            value.update(orjson.loads(row[-1]))  # type: ignore[arg-type]
        return value

    def decode_field(self, name: str, cell: SqlValue) -> Any:
        if cell is None:
            return None
        if name in self.json_fields:
            return orjson.loads(cell)  # type: ignore[arg-type]
        return bool(cell) if name in self.flag_fields else cell

    @lru_cache(maxsize=256)  # noqa: B019 entities live as long as the process
    def keeps(self, kinds: tuple[type, ...]) -> bool:
        """Whether SQLite keeps a row of values of these types as it is. Of others it may make something else, such as 10 of
        10.0, and a receipt tells what: then the row has to be read again.
        """
        return all(
            kind is NoneType or kind is _KEPT.get(self._sql_types[name])
            for name, kind in zip(self.stored, kinds, strict=True)
        )

    def check(self, value: object, where: str) -> Object:
        """An object from outside, checked field by field.

        Raises:
            StateError: naming the field, what was expected and what came.
        """
        if not isinstance(value, dict):
            raise StateError(where, f"expected an object of {self.app} {self.name}, got {_describe(value)}")
        for name, item in value.items():
            expected = self.types.get(name)
            if name in self.json_links:
                column, member, _ = self.json_links[name]
                raise StateError(f"{where}.{name}", f"is derived from {column}.{member}; set that")
            if expected is not None and expected != "JSON" and item is not None and not _fits(expected, item):
                raise StateError(f"{where}.{name}", f"expected {expected}, got {_describe(item)}")
        if not self._fits_nested(value) and (wrong := misfit(self._nested, value)) is not None:
            raise StateError(f"{where}{wrong.path}", f"expected {wrong.expected}, got {_describe(wrong.value)}")
        if self._misfit is not None and (reason := self._misfit(value)) is not None:
            raise StateError(where, reason)
        return value

    def unknown_fields(self, names: Iterable[str]) -> list[str]:
        return [n for n in names if n not in self._field_set]

    @lru_cache(maxsize=256)  # noqa: B019 entities live as long as the process
    def update_statement(self, names: tuple[str, ...]) -> str:
        """UPDATE of these fields (and `_extra` where named) by key; parameters: the values, then the key."""
        assignments = ", ".join(f'"{n}" = ?' for n in names)
        where = " AND ".join(f'"{k}" = ?' for k in self.key)
        return f"UPDATE {self.table.name} SET {assignments} WHERE {where}"  # noqa: S608

    @lru_cache(maxsize=512)  # noqa: B019
    def select_statement(
        self,
        conditions: tuple[tuple[str, str, int], ...],
        order: tuple[str, ...],
        paged: bool,
        count: bool = False,
        keys: bool = False,
    ) -> Statement:
        """SELECT (of keys alone, or count) for a shape of query: (field, operator, number of values), the order, paged or not."""
        table = self.table
        clauses: list[ColumnElement[bool]] = []
        for position, (name, operator, size) in enumerate(conditions):
            column = table.c[name]
            if operator == "in":
                clauses.append(column.in_([bindparam(f"p{position}_{i}", type_=Text) for i in range(size)]))
            elif operator == "is null":
                clauses.append(column.is_(None))
            elif operator == "is not null":
                clauses.append(column.is_not(None))
            else:
                clauses.append(column.op(operator, is_comparison=True)(bindparam(f"p{position}_0", type_=Text)))
        if count:
            return compile_statement(select(func.count()).select_from(table).where(*clauses))
        wanted = self.key if keys else (*self.fields, "_extra")
        query = select(*(table.c[f] for f in wanted)).where(*clauses)
        for name in order:
            query = query.order_by(table.c[name[1:]].desc() if name.startswith("-") else table.c[name].asc())
        query = query.order_by(table.c._seq.desc() if order and order[-1].startswith("-") else table.c._seq)
        if paged:
            query = query.limit(bindparam("limit", type_=Integer)).offset(bindparam("offset", type_=Integer))
        return compile_statement(query)

    @lru_cache(maxsize=256)  # noqa: B019
    def condition(self, said: str) -> tuple[str, str]:
        """The field and the operator of a condition such as `created` or `created >=`.

        Raises:
            KeyError: for a field or an operator that there is not.
        """
        name, _, operator = said.partition(" ")
        self.column(name)
        if (operator := operator or "=") not in OPERATORS:
            raise KeyError(f"unknown operator {operator!r} in {said!r}; known: {', '.join(OPERATORS)}")
        return name, operator

    def column(self, name: str) -> Column[Any]:
        """A column that queries may filter and order by.

        Raises:
            KeyError: naming the field and those that exist.
        """
        if name not in self._field_set and name not in self.json_links:
            raise KeyError(f"{self.app} {self.name} has no field {name!r}; fields: {', '.join(self.fields)}")
        return self.table.c[name]


@dataclass(frozen=True, slots=True)
class Migration:
    """How tables of one fingerprint become those of another: SQL, run in one transaction."""

    after: str
    statements: tuple[str, ...]


DiskKind = Literal["file", "directory", "symlink"]


@dataclass(frozen=True, slots=True)
class DiskView:
    """What an app's states call things on the session's disk; `members` maps a disk's column to the object's own name for it."""

    kind: DiskKind
    members: Mapping[str, str]

    def on_disk(self, value: object) -> object:
        """An object as the disk has it."""
        own = {shown: column for column, shown in self.members.items()}
        return {own.get(k, k): v for k, v in value.items()} if isinstance(value, dict) else value

    def shown(self, row: Object) -> Object:
        """What the disk has as the app's states tell it."""
        return {self.members.get(k, k): v for k, v in row.items()}


class AppTables:
    """The declared entities of one app; filled by its module in `contexts/apps/`.

    `uses_disk` says whether its kernels work with files of the session's own machine, and `views` what its states call those;
    `uses_web` whether they meet what sites remember of the session, `uses_library` whether it tells what is in the library.
    `migrations` has, by the fingerprint of tables that were declared before, how a context that holds them goes on.
    """

    def __init__(self, app: str, *, disk: bool = False, library: bool = False, web: bool = False) -> None:
        self.app = app
        self.uses_disk = disk
        self.uses_library = library
        self.uses_web = web
        self.metadata = MetaData()
        self.entities: dict[str, Entity] = {}
        self.views: dict[str, DiskView] = {}
        self.migrations: dict[str, Migration] = {}

    def disk_view(self, name: str, kind: DiskKind = "file", **members: str) -> None:
        """Declare what recorded states call an entity of the app, while it is a file, folder or symlink of the session's disk.

        `members` says under which name an object has a disk's column, such as `text="content"`; the others have their own
        names. State goes in and comes out in that form, and a kernel works with `context.disk`.

        Raises:
            ValueError: for an app that does not use the disk, or a name that is an entity's.
        """
        if not self.uses_disk or name in self.entities:
            raise ValueError(f"{self.app} {name}: a view is of an app with disk=True, and has a name of its own")
        self.views[name] = DiskView(kind, members)

    def entity(
        self,
        name: str,
        *columns: Column[Any],
        parents: Mapping[str, str | Sequence[str]] | None = None,
        open_fields: bool = False,
        open_shape: Mapping[Any, Shape] | None = None,
        misfit: Misfit | None = None,
        backed: str | None = None,
    ) -> Entity:
        """Declare an entity.

        Args:
            name: as in the app's facts, singular (`message`).
            columns: SQLAlchemy columns named like the real API's fields; the key columns are `primary_key=True`.
            parents: parent entity → the column(s) here that hold its key. An entity of several possible parents names
                each; a row uses the one whose columns are filled. Parents are declared before their children.
            open_fields: kernels may write fields that are not declared: they are kept, but nothing can filter by them.
            open_shape: what the fields look like that are not declared, by name, and `...` for all others.
            misfit: what else has to hold of an object from outside.
            backed: where its objects are read as long as nobody has put any: a SELECT over the library's tables, whose
                columns are named like those here (one that it leaves out is absent), with `_seq` for their order.

        Raises:
            ValueError: for an undeclared parent, a parent link of the wrong size, a name used twice, or a backed entity of
                an app that does not use the library.
        """
        if backed is not None and not self.uses_library:
            raise ValueError(f"{self.app} {name}: a backed entity is of an app with library=True")
        if name in self.entities:
            raise ValueError(f"{self.app}: entity {name!r} is declared twice")
        table = Table(
            f"{self.app}_{name}",
            self.metadata,
            *columns,
            Column("_extra", Json),
            Column("_seq", Integer, nullable=False),
            sqlite_strict=True,
        )
        if not table.primary_key.columns:
            raise ValueError(
                f"{self.app} {name}: needs a key (primary_key=True); receipts and the tree are built on it"
            )
        self.entities[name] = Entity(self.app, name, table, open_fields, open_shape, misfit, backed)
        if not parents:
            Index(f"{table.name}_in_order", table.c._seq)
        self.link(name, parents or {})
        return self.entities[name]

    def link(self, name: str, parents: Mapping[str, str | Sequence[str]]) -> None:
        """Give a declared entity further parents: those declared after it (kinds may hang below each other).

        Raises:
            ValueError: for an undeclared parent, or a parent link of the wrong size.
        """
        entity = self.entities[name]
        table = entity.table
        for parent, columns in parents.items():
            local = (columns,) if isinstance(columns, str) else tuple(columns)
            above = self.entities.get(parent)
            if above is None:
                raise ValueError(f"{self.app} {name}: parent {parent!r} is not declared above it")
            if len(local) != len(above.key):
                raise ValueError(
                    f"{self.app} {name}: parent {parent!r} has the key {above.key}, the link gives {local}"
                )
            if above is not entity and name in above.fields:
                raise ValueError(
                    f"{self.app} {parent}: field {name!r} would hide the children of that name in the tree"
                )
            entity.parents[parent] = local
            # Declared for tools and readers; not enforced, because recorded states may lack an object's parent.
            # use_alter lets kinds hang below each other: SQLite declares the key in the table all the same.
            keys = [f"{self.app}_{parent}.{k}" for k in above.key]
            mutual = list(self.entities).index(parent) > list(self.entities).index(name)
            reference = f"{table.name}_in_{parent}" if mutual else None
            table.append_constraint(ForeignKeyConstraint(local, keys, name=reference, use_alter=mutual))
            Index(f"{table.name}_by_{parent}", *(table.c[c] for c in local), table.c._seq)

    def migrate(self, before: str, after: str, *statements: str) -> None:
        """Say how contexts whose tables have the fingerprint `before` get those of `after`, from which the next may lead on.

        The last one leaves what is declared now: tables with the same columns in the same order, and their indexes.
        """
        self.migrations[before] = Migration(after, statements)

    def children(self, name: str) -> list[Entity]:
        """The entities that may hang below `name`."""
        return [e for e in self.entities.values() if name in e.parents]

    def ddl(self) -> list[str]:
        """CREATE statements for every table and index."""
        statements: list[str] = []
        for table in self.metadata.sorted_tables:
            statements.append(str(CreateTable(table).compile(dialect=_DIALECT)).strip())
            indexes = sorted(table.indexes, key=lambda i: str(i.name))
            statements += [str(CreateIndex(index).compile(dialect=_DIALECT)) for index in indexes]
        return statements

    @cache  # noqa: B019 asked for once all tables are declared, and again for every session
    def fingerprint(self) -> str:
        """A short hash of the declared tables; differs when a stored context would not fit any more."""
        return hashlib.blake2b("\n".join(self.ddl()).encode(), digest_size=8).hexdigest()


def query_of(
    entity: Entity,
    where: Mapping[str, Any] | None,
    order: Sequence[str] = (),
    limit: int | None = None,
    offset: int = 0,
    *,
    count: bool = False,
    keys: bool = False,
) -> tuple[str, list[SqlValue]]:
    """The SQL that finds an entity's rows (or their keys, or how many they are), and the values of its parameters.

    Raises:
        KeyError: for a field or an operator that there is not, or an absence that is compared by size.
    """
    shape: list[tuple[str, str, int]] = []
    values: dict[str, SqlValue] = {}
    for position, (condition, value) in enumerate((where or {}).items()):
        name, operator = entity.condition(condition)
        if operator == "in":
            for i, item in enumerate(value):
                values[f"p{position}_{i}"] = entity.encode_field(name, item)
            shape.append((name, operator, len(value)))
        elif value is None:
            if operator not in ("=", "!="):
                raise KeyError(f"{condition!r}: absence can be compared with = and != alone")
            shape.append((name, "is null" if operator == "=" else "is not null", 0))
        else:
            values[f"p{position}_0"] = entity.encode_field(name, value)
            shape.append((name, operator, 1))
    paged = limit is not None or offset > 0
    statement = entity.select_statement(tuple(shape), tuple(order), paged, count, keys)
    if paged:
        values |= {"limit": -1 if limit is None else limit, "offset": offset}
    return statement.sql, [values[p] for p in statement.parameters]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f'"{n}"' for n in names)


def _type_name(column: Column[Any], sql_type: str) -> str:
    if isinstance(column.type, Json):
        return "JSON"
    if isinstance(column.type, Flag):
        return "true or false"
    return {"TEXT": "text", "INTEGER": "a whole number", "REAL": "a number"}[sql_type]


def _fits(expected: str, value: object) -> bool:
    match expected:
        case "text":
            return isinstance(value, str)
        case "true or false":
            return isinstance(value, bool)
        case "a whole number":
            return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _describe(value: object) -> str:
    if value is None:
        return "null"
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    shown = repr(value)
    return f"{kinds.get(type(value), type(value).__name__)} ({shown[:60]}{'…' if len(shown) > 60 else ''})"
