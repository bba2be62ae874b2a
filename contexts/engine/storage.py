"""Storage of contexts: two storages with one small interface.

* `DurableStorage`: one file per session, initially a copy of its world. It uses WAL, so a killed process loses no answered call.
* `MemoryStorage`: in this process's memory, sharing the pages of the world and of fork sources. For training and tests; contents
  are lost when the process ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

import apsw
import orjson

from soundstage.contexts.engine import journal, pages
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.connection_pool import ConnectionPool
from soundstage.contexts.engine.problems import (
    ContextDamaged,
    ContextError,
    ContextTaken,
    SnapshotDamaged,
    opening,
    storing,
)
from soundstage.contexts.engine.store import (
    STATEMENTS_CACHED,
    Context,
    check_tables,
    declared_tables,
    open_context,
    read_fence,
    tune,
)

T = TypeVar("T")


class Storage(Protocol):
    """Creates, copies and deletes contexts, identified by their session's id.

    If a storage has a limit (`max_bytes`), no context grows beyond it by its own steps; a copy may be as large as its source.
    """

    def initial_image(self, start: Path) -> pages.PageImage:
        """A world's database, as contexts start from it."""

    def apply(self, image: pages.PageImage, work: Callable[[Context], T]) -> tuple[pages.PageImage, T]:
        """Run `work` on a page image; see `ConnectionPool.apply`."""

    def store_image(self, session_id: str, image: pages.PageImage) -> None:
        """Create a context from a page image, for `open_first`.

        Raises:
            DiskFull: a partial file remains for `delete` to remove.
        """

    def open_first(self, session_id: str, fence: int | None = None) -> Context:
        """Open a new context for the first time. With a fence, this process becomes its owner; see `Context.claim`.

        Raises:
            ContextError: see `open`.
            ContextTaken: another gateway has become its owner meanwhile.
        """

    def create(
        self, session_id: str, start: Path, *, seed: int, clock: Clock, versions: Mapping[str, str] | None = None
    ) -> Context:
        """Create a context as a copy of a world's database, with its own seed and clock; see `initialize`.

        Raises:
            DiskFull: a partial file remains for `delete` to remove.
        """

    def open(self, session_id: str) -> Context:
        """The context of a session that exists.

        Raises:
            ContextError: when it is gone or damaged, or the disk too full to open it.
        """

    def fork(self, source: Context, session_id: str, *, step: int | None = None) -> Context:
        """Create a context equal to `source` now, or to its state after `step`.

        Raises:
            DiskFull: a partial file remains for `delete` to remove.
        """

    def snapshot(self, context: Context, snapshot_id: str) -> None:
        """Store a copy of the context's current state.

        Raises:
            DiskFull: a partial file remains for `delete_snapshot` to remove.
        """

    def restore(self, context: Context, snapshot_id: str) -> None:
        """Make the context equal to a snapshot, in place.

        Raises:
            SnapshotDamaged: when the snapshot is gone or not intact.
            ContextTaken: another gateway has the session now.
            DiskFull: the context is as it was.
        """

    def close(self, session_id: str, context: Context) -> None:
        """Close a context's connection; `open` continues from the written state."""

    def delete(self, session_id: str) -> None:
        """Delete a closed context permanently."""

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot permanently."""


class DurableStorage:
    """Contexts as files `<folder>/sessions/<id>.db`, snapshots as `<folder>/snapshots/<id>.db`."""

    def __init__(self, folder: Path, *, max_bytes: int | None = None) -> None:
        self._max_bytes = max_bytes
        self._pool = ConnectionPool(max_bytes=max_bytes)
        self._sessions = folder / "sessions"
        self._snapshots = folder / "snapshots"
        self._sessions.mkdir(parents=True, exist_ok=True)
        self._snapshots.mkdir(parents=True, exist_ok=True)

    def initial_image(self, start: Path) -> pages.PageImage:
        """Return the page image of a world's database, which contexts start from."""
        return self._pool.initial_image(start)

    def apply(self, image: pages.PageImage, work: Callable[[Context], T]) -> tuple[pages.PageImage, T]:
        """Run `work` on a page image in memory; see `ConnectionPool.apply`."""
        return self._pool.apply(image, work)

    def store_image(self, session_id: str, image: pages.PageImage) -> None:
        """Write a page image to the session's file."""
        with storing():
            pages.save(image, str(self._path(session_id)), with_log=True)

    def open_first(self, session_id: str, fence: int | None = None) -> Context:
        """Open a new session's file, and set its owner without waiting for the disk."""
        with storing():
            context = _opened(_connect(str(self._there(session_id))), self._max_bytes)
            with _closed_on_failure(context), _without_waiting(context.connection):  # which begins its log
                if fence is None:
                    _release(context.connection)
                else:
                    context.claim(fence)
            return context

    def create(
        self, session_id: str, start: Path, *, seed: int, clock: Clock, versions: Mapping[str, str] | None = None
    ) -> Context:
        """Create a session's file as a copy of a world's database; see `initialize`."""
        return _created(self, session_id, start, seed, clock, versions)

    def open(self, session_id: str) -> Context:
        """Open a session's file."""
        with storing():
            return _opened(_connect(str(self._there(session_id))), self._max_bytes)

    def fork(self, source: Context, session_id: str, *, step: int | None = None) -> Context:
        """Copy a context to a new session's file, as it is now or was after `step`."""
        if step is not None:
            journal.check_step(source, step)
        with storing():
            connection = _connect(str(self._path(session_id)))
            return _forked(source.connection, connection, step, self._max_bytes)

    def snapshot(self, context: Context, snapshot_id: str) -> None:
        """Copy a context to the snapshot's file."""
        with storing():
            copy = apsw.Connection(str(self._snapshots / f"{snapshot_id}.db"))
            try:
                _fill(context.connection, copy)
                _release(copy)
            finally:
                copy.close()

    def restore(self, context: Context, snapshot_id: str) -> None:
        """Overwrite a context with a snapshot's pages. The fence of this process stays valid."""
        with self._snapshot(snapshot_id) as source, storing(), context.without_limit():
            if context.fence is None:
                _copy(source, context.connection)
            else:
                _copy_fenced(source, context, context.fence)
        declared_tables(context.connection)
        if context.fence is not None:
            context.claim(context.fence)

    def create_from_snapshot(self, session_id: str, snapshot_id: str) -> Context:
        """Return a new context equal to a snapshot, for a session whose own context cannot be restored in place.

        Raises:
            SnapshotDamaged: the snapshot is missing or damaged.
            DiskFull: a partial file remains for `delete` to remove.
        """
        with self._snapshot(snapshot_id) as source, storing():
            connection = _connect(str(self._path(session_id)))
            return _forked(source, connection, None, self._max_bytes)

    def open_read_only(self, session_id: str) -> Context:
        """Open the context read-only, even if another process owns it. The caller closes it.

        Raises:
            ContextError: the context is missing or damaged.
        """
        return open_file_read_only(str(self._there(session_id)))

    def close(self, session_id: str, context: Context) -> None:
        """Close the connection to a session's file."""
        context.close()

    def delete(self, session_id: str) -> None:
        """Delete a session's file and the files of its log."""
        for suffix in _SUFFIXES:
            _remove(self._path(session_id, suffix))

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot's file."""
        for suffix in _SUFFIXES:
            _remove(self._snapshots / f"{snapshot_id}.db{suffix}")

    def replace_file(self, context: Context, session_id: str, of: str) -> None:
        """Close the context `session_id`, and replace the file of session `of`, whose context is closed, with its file.

        Raises:
            apsw.Error: its log does not fit into its file; the other context is unchanged.
        """
        context.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        context.close()
        for suffix in _SUFFIXES[1:]:
            _remove(self._path(of, suffix))
        if self._path(of).is_dir():  # a file cannot replace a folder
            _remove(self._path(of))
        self._path(session_id).replace(self._path(of))

    def file_of(self, session_id: str) -> str:
        """Return the path of a context's file."""
        return str(self._path(session_id))

    def file_damage(self, session_id: str) -> str | None:
        """Check the first bytes of a context's file and return what is wrong, or None. Takes a few microseconds."""
        try:
            with open(self._there(session_id), "rb") as file:
                return None if file.read(len(_MAGIC)) == _MAGIC else "its file is not a database"
        except ContextDamaged as error:
            return error.reason
        except OSError as error:
            return f"its file cannot be read ({error.strerror})"

    def _there(self, session_id: str) -> Path:
        """Return the path of a context's file.

        Raises:
            ContextDamaged: the file does not exist.
        """
        path = self._path(session_id)
        if not path.is_file():
            raise ContextDamaged("there is a folder in its file's place" if path.exists() else "its file is gone")
        return path

    @contextlib.contextmanager
    def _snapshot(self, snapshot_id: str) -> Iterator[apsw.Connection]:
        """Open a snapshot read-only after checking its integrity.

        Raises:
            SnapshotDamaged: the snapshot is missing or damaged.
            ContextError: see `check_tables`.
        """
        path = self._snapshots / f"{snapshot_id}.db"
        if not path.is_file():
            raise SnapshotDamaged(snapshot_id, "its file is gone")
        source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            with opening(source):
                check_tables(source)
                ((verdict,),) = source.execute("PRAGMA quick_check(1)")
                if verdict != "ok":
                    raise ContextDamaged(str(verdict).partition("\n")[0])
        except ContextDamaged as error:
            raise SnapshotDamaged(snapshot_id, error.reason) from None
        try:
            yield source
        finally:
            source.close()

    def _path(self, session_id: str, suffix: str = "") -> Path:
        return self._sessions / f"{session_id}.db{suffix}"


class MemoryStorage:
    """Stores contexts in this process's memory."""

    def __init__(self, *, max_bytes: int | None = None) -> None:
        self._max_bytes = max_bytes
        self._pool = ConnectionPool(max_bytes=max_bytes)
        self._open: dict[str, Context] = {}
        self._closed: dict[str, pages.PageImage] = {}
        self._snapshots: dict[str, pages.PageImage] = {}

    def initial_image(self, start: Path) -> pages.PageImage:
        """Return the page image of a world's database, which contexts start from."""
        return self._pool.initial_image(start)

    def apply(self, image: pages.PageImage, work: Callable[[Context], T]) -> tuple[pages.PageImage, T]:
        """Run `work` on a page image; see `ConnectionPool.apply`."""
        return self._pool.apply(image, work)

    def store_image(self, session_id: str, image: pages.PageImage) -> None:
        """Store the page image that the session is opened from."""
        self._open.pop(session_id, None)
        self._closed[session_id] = image

    def open_first(self, session_id: str, fence: int | None = None) -> Context:
        """Open a new session. It has no fence, since no other process can reach its context."""
        return self.open(session_id)  # no other process can own a context in this process's memory

    def create(
        self, session_id: str, start: Path, *, seed: int, clock: Clock, versions: Mapping[str, str] | None = None
    ) -> Context:
        """Create a context that shares its world's pages; see `initialize`."""
        return _created(self, session_id, start, seed, clock, versions)

    def open(self, session_id: str) -> Context:
        """Return a session's open context, or open its stored page image."""
        if (context := self._open.get(session_id)) is not None:
            return context
        image = self._closed.pop(session_id, None)
        if image is None:
            raise ContextError(
                "the session lived in the memory of a process that has ended; delete it and make a new one"
            )
        context = self._open[session_id] = self._pool.open(image)
        return context

    def fork(self, source: Context, session_id: str, *, step: int | None = None) -> Context:
        """Create a context that shares the pages of `source`, as it is now or was after `step`."""
        if step is not None:
            journal.check_step(source, step)
        image = pages.image_of(source.connection)
        if image is None:  # a read-only view of a context file
            context = _forked(source.connection, _connect(":memory:"), step, self._max_bytes)
        else:
            context = self._pool.open(image)
            if step is not None:
                _rewound(context, step)
        self._open[session_id] = context
        return context

    def branch(self, source: Context, session_id: str) -> None:
        """Create a context equal to the current state of `source`, for `open_first`."""
        self.store_image(session_id, _image(source))

    def snapshot(self, context: Context, snapshot_id: str) -> None:
        """Store the context's current page image."""
        self._snapshots[snapshot_id] = _image(context)

    def restore(self, context: Context, snapshot_id: str) -> None:
        """Set the context to a snapshot's page image."""
        image = self._snapshots.get(snapshot_id)
        if image is None:
            raise ContextError("the snapshot lived in the memory of a process that has ended")
        pages.restore(context.connection, image)

    def close(self, session_id: str, context: Context) -> None:
        """Return the context's connection for reuse and preserve its contents, from which `open` continues."""
        self._closed[session_id] = _image(context)
        del self._open[session_id]
        self._pool.release(context)

    def delete(self, session_id: str) -> None:
        """Discard a session's context and return its connection to the pool."""
        self._closed.pop(session_id, None)
        context = self._open.pop(session_id, None)
        if context is not None:
            self._pool.release(context)

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Discard a snapshot's page image."""
        self._snapshots.pop(snapshot_id, None)


_SUFFIXES = (
    "",
    "-wal",
    "-shm",
    "-journal",
)  # files that SQLite may create for a database; the last one is created for a copy
_VERSIONS = "UPDATE _app SET version = latest.value FROM json_each(?) AS latest WHERE name = latest.key"
_MAGIC = b"SQLite format 3\0"


def open_file_read_only(path: str) -> Context:
    """Open the context in a file read-only, even if another process has it open. The caller closes it.

    Raises:
        ContextError: the context is missing or damaged.
    """
    if not os.path.isfile(path):
        raise ContextDamaged("its file is gone")
    with storing():
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=STATEMENTS_CACHED)
    with opening(connection):
        context = Context(tune(connection), declared_tables(connection))
        context.read_meta()
    return context


def _remove(path: Path) -> None:
    """Remove a file, or a folder that has replaced it, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _connect(path: str) -> apsw.Connection:
    return apsw.Connection(path, statementcachesize=STATEMENTS_CACHED)


def _opened(connection: apsw.Connection, max_bytes: int | None) -> Context:
    context = open_context(connection)
    if max_bytes is not None:
        context.limit(max_bytes)
    return context


def _created(
    storage: Storage, session_id: str, start: Path, seed: int, clock: Clock, versions: Mapping[str, str] | None
) -> Context:
    def work(context: Context) -> None:
        initialize(context, seed=seed, clock=clock, versions=versions)

    with storing():
        image, _ = storage.apply(storage.initial_image(start), work)
        storage.store_image(session_id, image)
        return storage.open_first(session_id)


def initialize(context: Context, *, seed: int, clock: Clock, versions: Mapping[str, str] | None = None) -> Context:
    """Set the seed and clock of a session in a fresh copy of a world. This is not a step; it is part of the initial state.

    `versions` are the versions of the context's apps. They are stored to show later which versions handled its calls.

    Raises:
        ContextFull, DiskFull: the context is closed.
    """
    with _closed_on_failure(context), context.without_limit(), context.transaction() as meta:
        meta.seed, meta.clock = seed, clock
        context.execute(_VERSIONS, (orjson.dumps(versions or {}).decode(),))
    return context


@contextlib.contextmanager
def _closed_on_failure(context: Context) -> Iterator[None]:
    try:
        yield
    except BaseException:
        context.close()
        raise


def _forked(source: apsw.Connection, connection: apsw.Connection, step: int | None, max_bytes: int | None) -> Context:
    try:
        with _without_waiting(connection):
            _copy(source, connection)
            with contextlib.suppress(apsw.SQLError):  # a memory database has no WAL
                connection.pragma("journal_mode", "wal")
            _release(connection)
        context = _opened(connection, max_bytes)
    except BaseException:
        connection.close()
        raise
    return context if step is None else _rewound(context, step)


def _rewound(context: Context, step: int) -> Context:
    with _closed_on_failure(context):
        journal.rewind(context, step)
    return context


def _image(context: Context) -> pages.PageImage:
    image = pages.image_of(context.connection)
    if image is None:
        raise ValueError("only contexts that share pages have a page image")
    return image


def _fill(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy all pages of `source` into a new file."""
    with _without_waiting(target):
        _copy(source, target)


@contextlib.contextmanager
def _without_waiting(connection: apsw.Connection) -> Iterator[None]:
    """Create a new file without waiting for the disk; SQLite would sync once for the header of its log.

    A killed process loses no data. After a power cut within the same seconds the file may have to be created again, because its
    pages are not synced either.
    """
    connection.execute("PRAGMA synchronous=OFF")
    try:
        yield
    finally:
        with contextlib.suppress(apsw.ConnectionClosedError):
            connection.execute("PRAGMA synchronous=NORMAL")


def _copy(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy all pages of `source` into `target`. Other connections see the old or the new contents, never a mixture."""
    with target.backup("main", source, "main") as backup:
        backup.step()


def _copy_fenced(source: apsw.Connection, context: Context, fence: int) -> None:
    """Copy all pages of `source` into a context, unless another gateway has taken it over.

    Raises:
        ContextTaken: the context is unchanged.
    """
    with context.connection.backup("main", source, "main") as backup:
        backup.step(0)  # Takes the write lock, so that the fence cannot change between the check and the copy.
        witness = apsw.Connection(context.connection.filename, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            if read_fence(witness) != fence:
                raise ContextTaken(context)
        finally:
            witness.close()
        backup.step()


def _release(copy: apsw.Connection) -> None:
    """Reset the fence of a copy: it has no owner, since no gateway ever uses fence 0."""
    copy.execute("UPDATE _meta SET fence = 0")
