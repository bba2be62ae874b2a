"""Declarations of an app's entities, and the SQL generated from them.

An app's tables are SQLAlchemy tables with the real API's field names; nested values are `Json` columns. Every table has two
hidden columns: `_seq`, the order in which objects were created, and `_extra`, the fields of real objects that the app does not
declare, so that everything a real API sent can be stored and returned unchanged.

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
    false,
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
"""One entity's record with the real API's field names. An absent field is not in the dict."""

SqlValue = str | int | float | bytes | None

Misfit = Callable[[Object], str | None]
"""Return why an object from outside cannot be stored, with the valid form, or None."""


class Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
"""Pass it to `AppContext.update` to remove a field (None would store JSON null)."""

_UNCHANGED_TYPES: Mapping[str, type] = {"TEXT": str, "INTEGER": int}
"""Python types that a strict column stores unchanged, by column type. REAL is missing: it stores NULL for NaN."""

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "in")
_DIALECT = sqlite.dialect(paramstyle="qmark")


class Json(TypeDecorator[Any]):
    """A nested value. SQL NULL means the field is absent; JSON null is a stored value.

    `info=shape(…)` describes the shape of its values; see `soundstage.contexts.engine.shapes`.
    """

    impl = Text
    cache_ok = True


class Flag(TypeDecorator[bool]):
    """A boolean, stored as 1 or 0."""

    impl = Integer
    cache_ok = True


def id_format(template: str) -> dict[str, str]:
    """Return the column info for ids in the real app's format, such as `om_{hex:32}`; see `soundstage.contexts.engine.ids`."""
    check_template(template)
    return {"id_format": template}


def json_link(name: str, column: str, member: str, **beside: Any) -> Column[Any]:
    """Return a column for a parent link inside a JSON column, such as `parent.page_id`.

    SQLite derives the column (and indexes it if `parents` names it). Queries may filter by it; objects do not contain it.
    `beside` holds the other members of the JSON object, for trees that leave out the whole column.
    """
    derived = Computed(f"json_extract({column}, '$.{member}')", persisted=False)
    return Column(name, Text, derived, info={"json_link": (column, member, beside)})


class StateError(ValueError):
    """State that does not match the declarations. `where` is the path of the mistake, such as `lark.message[0].body`."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self._problem = problem

    def __reduce__(self) -> tuple[type[StateError], tuple[str, str]]:
        return type(self), (self.where, self._problem)  # the error also crosses process boundaries


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL text with the names of its parameters in order."""

    sql: str
    parameters: tuple[str, ...]


def compile_statement(element: ClauseElement) -> Statement:
    """Compile a SQLAlchemy element to SQL with `?` parameters."""
    compiled = element.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
    return Statement(str(compiled), tuple(compiled.positiontup or ()))  # type: ignore[attr-defined]


class Entity:
    """One kind of record of an app: its columns, key and parents, and the statements that calls run."""

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
        # SQLAlchemy's names are a subclass of str, which orjson rejects as a key.
        self.stored = tuple(str(c.name) for c in table.columns if c.computed is None)
        self.fields = tuple(name for name in self.stored if not name.startswith("_"))
        self.quoted = tuple(f'"{name}"' for name in (*self.fields, "_extra"))
        self.key = tuple(str(c.name) for c in table.primary_key.columns)
        self.json_fields = frozenset(c.name for c in table.columns if isinstance(c.type, Json))
        self.flag_fields = frozenset(c.name for c in table.columns if isinstance(c.type, Flag))
        self._field_set = frozenset(self.fields)
        # Without an explicit dialect, SQLAlchemy creates one for each column.
        self._sql_types = {str(c.name): c.type.compile(_DIALECT) for c in table.columns}
        self.types = {c.name: _type_name(c, self._sql_types[c.name]) for c in table.columns}
        declared = {str(c.name): c.info.get("shape", object) for c in table.columns}
        self._nested: dict[Any, Shape] = {**(open_shape or {}), **declared}
        self._fits_nested = fits(self._nested)
        # Most fields are stored unchanged; reading and writing a row converts only the others.
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
        """Return the key of an object, in the order of `key`."""
        return tuple(value[name] for name in self.key)

    def link_of(self, value: Object, columns: Sequence[str]) -> tuple[SqlValue, ...]:
        """Return the values of an object's link columns, derived ones included; None for an absent link."""
        values: list[SqlValue] = []
        for name in columns:
            if name in self.json_links:
                column, member, _ = self.json_links[name]
                holder = value.get(column)
                values.append(holder.get(member) if isinstance(holder, dict) else None)
            else:
                values.append(value.get(name))
        return tuple(values)

    def fill_link(self, value: Object, column: str, key: SqlValue) -> None:
        """Link an object without a parent link to the parent with this key."""
        if column in self.json_links:
            holder, member, beside = self.json_links[column]
            value.setdefault(holder, {**beside, member: key})
        else:
            value.setdefault(column, key)

    def encode(self, value: Object) -> list[SqlValue]:
        """Encode an object as one value per field, then `_extra`. Absent fields and None outside JSON become SQL NULL."""
        row: list[SqlValue] = [value.get(name) for name in self.fields]
        for name in self._kept_otherwise:
            if name in value:
                row[self._places[name]] = self.encode_field(name, value[name])
        row.append(None if value.keys() <= self._field_set else self.encode_extra(value))
        return row

    def encode_extra(self, value: Object) -> SqlValue:
        """Encode the undeclared fields of an object as the value of `_extra`."""
        extra = {k: v for k, v in value.items() if k not in self._field_set and v is not ABSENT}
        return orjson.dumps(extra).decode() if extra else None

    def encode_field(self, name: str, value: Any) -> SqlValue:
        """Encode one field's value as SQLite stores it."""
        if value is ABSENT:
            return None
        if name in self.json_fields:
            return orjson.dumps(value).decode()
        if name in self.flag_fields:
            return None if value is None else int(value)
        return value  # type: ignore[no-any-return]

    def decode(self, row: Sequence[SqlValue]) -> Object:
        """Decode a row of `fields` and `_extra` into an object."""
        value: Object = {name: cell for name, cell in zip(self.fields, row, strict=False) if cell is not None}
        for name, read in self._readers:
            if name in value:
                value[name] = read(value[name])
        if row[-1] is not None:
            value.update(orjson.loads(row[-1]))  # type: ignore[arg-type]
        return value

    def decode_field(self, name: str, cell: SqlValue) -> Any:
        """Decode one field's stored value."""
        if cell is None:
            return None
        if name in self.json_fields:
            return orjson.loads(cell)  # type: ignore[arg-type]
        return bool(cell) if name in self.flag_fields else cell

    @lru_cache(maxsize=256)  # noqa: B019 entities live as long as the process
    def keeps(self, kinds: tuple[type, ...]) -> bool:
        """Return whether SQLite stores a row of values of these types unchanged.

        SQLite may convert other values, such as 10.0 to 10. The row must then be read again, because a receipt records the
        stored value.
        """
        return all(
            kind is NoneType or kind is _UNCHANGED_TYPES.get(self._sql_types[name])
            for name, kind in zip(self.stored, kinds, strict=True)
        )

    def check(self, value: object, where: str) -> Object:
        """Check an object from outside, field by field, and return it.

        Raises:
            StateError: names the field, the expected value and the actual one.
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
        """Return those of the names that are not declared fields."""
        return [n for n in names if n not in self._field_set]

    @lru_cache(maxsize=256)  # noqa: B019 entities live as long as the process
    def update_statement(self, names: tuple[str, ...]) -> str:
        """Return an UPDATE of these fields (and `_extra` if named) by key. Parameters: the values, then the key."""
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
        """Return the SELECT (rows, keys or count) for a query shape: (field, operator, number of values), order, paging."""
        table = self.table
        clauses: list[ColumnElement[bool]] = []
        for position, (name, operator, size) in enumerate(conditions):
            column = table.c[name]
            if operator == "in" and not size:
                clauses.append(false())  # SQLAlchemy's empty IN needs the values of all parameters while it compiles
            elif operator == "in":
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
    def condition(self, text: str) -> tuple[str, str]:
        """Split a condition such as `created` or `created >=` into its field and operator.

        Raises:
            KeyError: the field or operator does not exist.
        """
        name, _, operator = text.partition(" ")
        self.column(name)
        if (operator := operator or "=") not in OPERATORS:
            raise KeyError(f"unknown operator {operator!r} in {text!r}; known: {', '.join(OPERATORS)}")
        return name, operator

    def column(self, name: str) -> Column[Any]:
        """Return a column that queries may filter and sort by.

        Raises:
            KeyError: names the field and the existing ones.
        """
        if name not in self._field_set and name not in self.json_links:
            raise KeyError(f"{self.app} {self.name} has no field {name!r}; fields: {', '.join(self.fields)}")
        return self.table.c[name]


@dataclass(frozen=True, slots=True)
class Migration:
    """SQL that migrates tables from one fingerprint to another, run in one transaction."""

    after: str
    statements: tuple[str, ...]


DiskKind = Literal["file", "directory", "symlink"]


@dataclass(frozen=True, slots=True)
class DiskView:
    """How an app's states represent entries of the session's disk; `members` maps a disk column to the object's field name."""

    kind: DiskKind
    members: Mapping[str, str]

    def on_disk(self, value: object) -> object:
        """Convert an object from the app's form to the disk's form."""
        own = {shown: column for column, shown in self.members.items()}
        return {own.get(k, k): v for k, v in value.items()} if isinstance(value, dict) else value

    def shown(self, row: Object) -> Object:
        """Convert a disk row to the form of the app's states."""
        return {self.members.get(k, k): v for k, v in row.items()}


class AppTables:
    """The declared entities of one app; its module in `contexts/apps/` fills it.

    `uses_disk` is true if the app's kernels work with files of the session's own machine; `views` maps these files to names in
    its states. `uses_web` is true if the kernels use what sites have stored about the session, `uses_library` if they read from
    the library. `migrations` maps the fingerprint of earlier table declarations to the migration of contexts that have them.
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
        """Declare the name that recorded states use for a file, folder or symlink of the session's disk.

        `members` maps a disk column to the object's field name, such as `text="content"`; other columns keep their names. State
        is imported and exported in that form, while kernels work with `context.disk`.

        Raises:
            ValueError: the app does not use the disk, or the name belongs to an entity.
        """
        if not self.uses_disk or name in self.entities:
            raise ValueError(f"{self.app} {name}: disk_view() needs AppTables(disk=True) and a unique name")
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
            columns: SQLAlchemy columns with the names of the real API's fields; the key columns are `primary_key=True`.
            parents: parent entity → the column(s) here that contain its key. An entity with several possible parents names
                each; a row uses the parent whose columns are filled. Parents are declared before their children.
            open_fields: kernels may write undeclared fields. They are stored, but queries cannot filter by them.
            open_shape: the shapes of undeclared fields by name, and `...` for all others.
            misfit: a further check of objects from outside.
            backed: the source of its objects until state is set: a SELECT over the library's tables whose columns have the
                names of those here (a missing one is absent), with `_seq` for their order.

        Raises:
            ValueError: a parent is undeclared, a parent link has the wrong size, a name is used twice, or a backed entity
                belongs to an app that does not use the library.
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
        """Add parents that are declared after the entity itself (kinds may be below each other).

        Raises:
            ValueError: a parent is undeclared, or a parent link has the wrong size.
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
            # Declared for tools and readers but not enforced, because recorded states may lack an object's parent. use_alter
            # allows kinds below each other; SQLite still declares the key in the table.
            keys = [f"{self.app}_{parent}.{k}" for k in above.key]
            mutual = list(self.entities).index(parent) > list(self.entities).index(name)
            reference = f"{table.name}_in_{parent}" if mutual else None
            table.append_constraint(ForeignKeyConstraint(local, keys, name=reference, use_alter=mutual))
            Index(f"{table.name}_by_{parent}", *(table.c[c] for c in local), table.c._seq)

    def migrate(self, before: str, after: str, *statements: str) -> None:
        """Declare the SQL that migrates contexts from the fingerprint `before` to `after`.

        Another migration may continue from `after`. The last migration must produce the current declarations: tables with the
        same columns in the same order, and their indexes.
        """
        self.migrations[before] = Migration(after, statements)

    def children(self, name: str) -> list[Entity]:
        """Return the entities that may be below `name`."""
        return [e for e in self.entities.values() if name in e.parents]

    def ddl(self) -> list[str]:
        """Return the CREATE statements for every table and index."""
        statements: list[str] = []
        for table in self.metadata.sorted_tables:
            statements.append(str(CreateTable(table).compile(dialect=_DIALECT)).strip())
            indexes = sorted(table.indexes, key=lambda i: str(i.name))
            statements += [str(CreateIndex(index).compile(dialect=_DIALECT)) for index in indexes]
        return statements

    @cache  # noqa: B019 asked for once all tables are declared, and again for every session
    def fingerprint(self) -> str:
        """A short hash of the declared tables; it differs if stored contexts are no longer compatible."""
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
    """Return the SQL that selects an entity's rows (or their keys or count), and the values of its parameters.

    Raises:
        KeyError: a field or operator does not exist, or an absence is compared by size.
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
