"""A kernel's view of a context: one app's objects, the session's clock, ids and randomness."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.disk import NAME as DISK
from soundstage.contexts.engine.disk import Disk
from soundstage.contexts.engine.ids import drawn, make_id
from soundstage.contexts.engine.library import NAME as LIBRARY
from soundstage.contexts.engine.library import Library, Source, shared
from soundstage.contexts.engine.model_questions import NeedsModelAnswer, Question, stored_answer
from soundstage.contexts.engine.receipts import Cells
from soundstage.contexts.engine.schema import AppTables, Entity, Object, SqlValue, query_of
from soundstage.contexts.engine.web import NAME as WEB
from soundstage.contexts.engine.web import Web

if TYPE_CHECKING:
    from soundstage.contexts.engine.execution_limits import Executions
    from soundstage.contexts.engine.store import Context

Key = SqlValue | tuple[SqlValue, ...]
Where = Mapping[str, Any]
Objects = list[Object]


class AppContext:
    """The interface of a kernel to its context: one app's entities, the session's clock, ids and randomness.

    Objects are plain dicts with the real API's field names; an absent field is not in the dict. All changes of a kernel belong
    to the call's transaction.
    """

    def __init__(self, context: Context, tables: AppTables) -> None:
        self._context = context
        self._execute = context.ask
        self._entities = tables.entities
        self._tables = tables

    def get(self, entity: str, key: Key) -> Object | None:
        """Return the object with this key (a tuple if the key has several columns), or None."""
        declared = self._entities[entity]
        bound = key if isinstance(key, tuple) else (key,)
        reads: Source = "own" if declared.backed is None else self.source(entity)
        rows: Any = [] if reads == "library" else self._execute(declared.get_sql, bound).fetchall()
        if reads != "own" and not rows:
            rows = shared().ask(declared.get_sql, bound)
        return declared.decode(rows[0]) if rows else None

    def list(
        self,
        entity: str,
        where: Where | None = None,
        *,
        order: Sequence[str] | str = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Objects:
        """Return the matching objects, in order of creation unless `order` names fields (`-field` sorts descending).

        `where` maps a field to its value, or `"field >="` (any of = != < <= > >= in) to a bound; None matches absence.

        Raises:
            KeyError: the entity does not declare the field.
        """
        declared = self._entities[entity]
        order = (order,) if isinstance(order, str) else tuple(order)
        for name in order:
            declared.column(name.removeprefix("-"))
        if declared.backed is not None and (reads := self.source(entity)) != "own":
            if reads == "library":
                return shared().select(declared, where, order, limit, offset)
            objects = self._of_both(declared, where, order)
            return objects[offset:] if limit is None else objects[offset : offset + limit]
        return self.own(declared, where, order, limit, offset)

    def own(
        self,
        declared: Entity,
        where: Where | None = None,
        order: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Objects:
        """Return the matching objects stored in the context itself, without those of the library; see `list`."""
        declared = self._declared(declared)
        rows: Any = self._execute(*query_of(declared, where, order, limit, offset)).fetchall()
        return [declared.decode(row) for row in rows]

    def first(self, entity: str, where: Where | None = None, *, order: Sequence[str] | str = ()) -> Object | None:
        """Return the first matching object, or None."""
        declared = self._entities[entity]
        # A fast path for entities with a single object, which calls read very often.
        if where is None and not order and declared.backed is None:
            rows: Any = self._execute(declared.first_sql).fetchall()
            return declared.decode(rows[0]) if rows else None
        matches = self.list(entity, where, order=order, limit=1)
        return matches[0] if matches else None

    def count(self, entity: str, where: Where | None = None) -> int:
        """Return the number of matching objects."""
        declared = self._entities[entity]
        reads: Source = "own" if declared.backed is None else self.source(entity)
        if reads == "both":
            return len(self._of_both(declared, where, ()))
        query = query_of(declared, where, count=True)
        rows: Any = shared().ask(*query) if reads == "library" else self._execute(*query).fetchall()
        return int(rows[0][0])

    def keys(self, entity: str, where: Where | None = None) -> Sequence[tuple[SqlValue, ...]]:
        """Return the keys of the context's own matching objects in order of creation, without reading their other columns."""
        rows: Any = self._execute(*query_of(self._entities[entity], where, keys=True)).fetchall()
        return rows  # type: ignore[no-any-return]

    def create(self, entity: str, value: Object) -> Object:
        """Add an object and return it. A missing key with a declared id format is filled with a new id.

        Raises:
            KeyError: a key is missing, a field is undeclared, or the library backs the entity.
            apsw.ConstraintError: the key exists already.
        """
        declared = self._entities[entity]
        if not declared.open_fields and (unknown := declared.unknown_fields(value)):
            raise KeyError(f"{declared.app} {entity} has no field {unknown[0]!r}")
        if declared.backed is not None:
            raise KeyError(f"{declared.app} {entity} is backed by the library; calls create objects of another entity")
        return self.put(declared, dict(value))

    def update(self, entity: str, key: Key, changes: Object) -> Object:
        """Change the named fields of one object and return the whole object. `ABSENT` removes a field.

        Raises:
            KeyError: the object does not exist, a field is undeclared, or a field belongs to the key.
        """
        declared = self._entities[entity]
        unknown = declared.unknown_fields(changes)
        if unknown and not declared.open_fields:
            raise KeyError(f"{declared.app} {entity} has no field {unknown[0]!r}")
        if any(name in changes for name in declared.key):
            raise KeyError(f"{declared.app} {entity}: its key {', '.join(declared.key)} cannot be changed")
        bound = key if isinstance(key, tuple) else (key,)
        rows: Any = self._execute(declared.cells_sql, bound).fetchall()
        if not rows:
            raise KeyError(f"{declared.app} {entity} {key!r} does not exist")
        before: Cells = rows[0]
        after = before
        if changes:
            values = {name: declared.encode_field(name, item) for name, item in changes.items() if name not in unknown}
            if unknown:
                extra = {**declared.decode(before[:-1]), **{name: changes[name] for name in unknown}}
                values["_extra"] = declared.encode_extra(extra)
            sql, changed = declared.update_statement(tuple(values)), (*values.values(), *bound)
            cells = {**dict(zip(declared.stored, before, strict=True)), **values}
            after = self._written(declared, sql, changed, tuple(cells.values()))
            self._context.record(declared, before, after)
        return declared.decode(after[:-1])

    def delete(self, entity: str, key: Key) -> bool:
        """Remove an object and everything below it in the tree; return False if it did not exist."""
        declared = self._entities[entity]
        bound = key if isinstance(key, tuple) else (key,)
        # The object is removed first, so that the recursion ends even if parents form a cycle (a recorded state may contain
        # one).
        removed = self.remove(declared, bound)
        for child in self._tables.children(entity):
            links = child.parents[entity]
            for below in self.list(child.name, dict(zip(links, bound, strict=True))):
                self.delete(child.name, child.key_of(below))
        return removed

    @property
    def disk(self) -> Disk:
        """The files of the session's own machine.

        Raises:
            KeyError: the app does not declare that it uses the disk.
        """
        if not self._tables.uses_disk:
            raise KeyError(f"{self._tables.app} has no disk; its tables say so with disk=True")
        return Disk(self._context.app(DISK))

    @property
    def web(self) -> Web:
        """The data that sites have stored about this session.

        Raises:
            KeyError: the app does not declare that it uses the web.
        """
        if not self._tables.uses_web:
            raise KeyError(f"{self._tables.app} has no web; its tables say so with web=True")
        return Web(self._context.app(WEB))

    @property
    def library(self) -> Library:
        """The data that all sessions share.

        Raises:
            KeyError: the app does not declare that it uses the library.
        """
        if not self._tables.uses_library:
            raise KeyError(f"{self._tables.app} has no library; its tables say so with library=True")
        return shared()

    def source(self, entity: str) -> Source:
        """Return where a backed entity reads: "library", or "own" after its state was set, or "both" after objects were added."""
        row = self._context.app(LIBRARY).get("source", (self._tables.app, entity))
        source: Source = "library" if row is None else row["reads"]
        return source

    def read_from(self, entity: str, source: Source) -> None:
        """Set where a backed entity reads from now on."""
        sources = self._context.app(LIBRARY)
        key = (self._tables.app, entity)
        if self.source(entity) != source:
            sources.delete("source", key)
            if source != "library":
                sources.create("source", {"app": self._tables.app, "entity": entity, "reads": source})

    @property
    def account(self) -> str | None:
        """The account of the acting person: the key of the row that represents this person in the app.

        None means the account that the state itself designates; each app's rules define where (`auth`, `session` …). Kernels
        read identity from no other place.

        Raises:
            KeyError: the acting person has no account in this app.
        """
        return self._context.accounts.acting(self._context.acting, self._tables.app)

    def now(self) -> datetime:
        """Return the session's time: an aware UTC datetime that stays the same during a call."""
        return from_ms(self._context.now_ms())

    def wait(self, ms: int) -> None:
        """Report that the real server delays its reply by `ms` milliseconds.

        The session's clock advances by this time after the call; no process actually waits. The time that the call itself sees
        does not change.
        """
        self._context.waited_ms += ms

    @property
    def executions(self) -> Executions:
        """The executions of user-supplied code in this call.

        A kernel that runs code under a limit reports here whether the limit stopped it, and reads here during a replay whether
        it was stopped.
        """
        return self._context.executions

    def ask_model(self, question: Question) -> str | None:
        """Return a language model's answer, or None if there is none and the kernel must decide.

        There is no answer if no model is configured or if the model failed.

        The module of a kernel that calls this sets `ASKS_A_MODEL = True` next to its `run`. The same question in the same
        session has the same answer.

        Raises:
            NeedsModelAnswer: the question has to be put to the model first; kernels do not catch it.
        """
        if (answer := stored_answer(self._context, self._tables.app, question)) is not None:
            return answer["text"]
        if self._context.may_ask:
            raise NeedsModelAnswer(question)
        return None

    def new_id(self, name: str, template: str | None = None) -> str:
        """Return a new id: of the entity `name` in its declared format, or by a template for ids that are not an entity's key."""
        if template is None:
            template = self._entities[name].id_format
            if template is None:
                raise KeyError(f"{self._tables.app} {name} declares no id format; give a template")
        scope = f"{self._tables.app}.{name}"
        meta = self._context._running_meta()
        return make_id(template, meta.seed, scope, self._context.next_number(scope))

    def next_number(self, name: str) -> int:
        """Return 1, 2, 3 … for this name in this session, for apps that number their objects."""
        return self._context.next_number(f"{self._tables.app}#{name}")

    def drawn(self, name: str) -> int:
        """Return a 64-bit number derived from this session's seed and `name`; it is the same in every call and step."""
        seed = (self._context.meta or self._context.read_meta()).seed
        return drawn(seed, f"{self._tables.app}.{name}")

    @property
    def random(self) -> random.Random:
        """The random generator of this step, seeded from the session's seed."""
        return self._context.step_random()

    def put(self, declared: Entity, value: Object) -> Object:
        """Insert an object that may have undeclared fields (state from outside)."""
        declared = self._declared(declared)
        for name in declared.key:
            if value.get(name) is None:
                if name != declared.key[-1] or declared.id_format is None:
                    raise KeyError(f"{declared.app} {declared.name} needs its key field {name!r}")
                value = {name: self.new_id(declared.name), **value}
        given = (*declared.encode(value), self._context.next_seq())
        self._context.record(declared, None, self._written(declared, declared.insert_sql, given, given))
        return value

    def remove(self, declared: Entity, key: tuple[SqlValue, ...]) -> bool:
        """Remove one object but nothing below it; return False if it did not exist."""
        declared = self._declared(declared)
        rows: Any = self._execute(declared.delete_sql, key).fetchall()
        if rows:
            self._context.record(declared, rows[0], None)
        return bool(rows)

    def clear(self, declared: Entity) -> None:
        """Remove every object of an entity."""
        declared = self._declared(declared)
        for cells in self._execute(declared.clear_sql).fetchall():
            self._context.record(declared, cells, None)

    def _declared(self, entity: Entity) -> Entity:
        """Return the entity if it is one of the app's: its SQL is run, so an imitation must not pass.

        Raises:
            KeyError: it is not one of them.
        """
        declared = self._entities.get(entity.name)
        if declared is not entity:
            raise KeyError(f"{entity.name!r} is not an entity of {self._tables.app}")
        return declared

    def _of_both(self, declared: Entity, where: Where | None, order: tuple[str, ...]) -> Objects:
        """Return the library's objects, then the context's own, which replace library objects with the same key."""
        own = set(self.keys(declared.name))
        shared_objects = [v for v in shared().select(declared, where, order) if declared.key_of(v) not in own]
        objects = [*shared_objects, *self.own(declared, where)]
        for name in reversed(order):
            plain = name.removeprefix("-")
            # SQLite has what is absent before everything else.
            objects.sort(
                key=lambda v: ((cell := declared.encode_field(plain, v.get(plain))) is not None, cell or 0),
                reverse=name.startswith("-"),
            )
        return objects

    def _written(self, declared: Entity, sql: str, bound: Cells, row: Cells) -> Cells:
        """Write a row, and return it as it is stored now: the one given, unless SQLite may make something else of it."""
        if declared.keeps(tuple(map(type, row))):
            self._execute(sql, bound)
            return row
        stored: Any = self._execute(sql + declared.returning, bound).fetchall()
        return stored[0]  # type: ignore[no-any-return]
