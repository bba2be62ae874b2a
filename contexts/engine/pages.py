"""In-memory databases that share their world's pages: the world's file is mapped, and written pages are stored separately.

SQLite accesses them through a VFS of this module. Each written page is stored as immutable bytes, so copying such a database
copies only the list of its written pages, whatever its size.
"""

from __future__ import annotations

import itertools
import mmap
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import apsw

from soundstage.contexts.engine.file_copy import share_bytes, write_bytes

_NAME = "soundstage-pages"
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_CACHED_KIB = 32
"""KiB that a connection caches in addition to the pages themselves. Reading a page again costs about a microsecond, and a cache
four times as large saves only that per call.
"""
_SECTOR = 4096
# The bytes of a database's header with the journal mode (1: rollback journal, 2: WAL), and with the versions of its contents
# and schema.
_WRITTEN_AS = slice(18, 20)
_WITH_JOURNAL, _WITH_LOG = b"\x01\x01", b"\x02\x02"
_VERSION, _VERSION_OF_SIZE, _VERSION_OF_TABLES = slice(24, 28), slice(92, 96), slice(40, 44)

_numbers = itertools.count(1)


class World:
    """A world's file as sessions share it: mapped for reading alone, so that it may be renamed or removed meanwhile.

    Its bytes must not change; a built world's never do.
    """

    __slots__ = ("file", "first", "page_size", "shared", "size", "tables")

    def __init__(self, path: Path) -> None:
        self.file = open(path, "rb", buffering=0)  # noqa: SIM115 open for as long as one of its databases is
        self.shared = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
        self.size = len(self.shared)
        page_size = int.from_bytes(self.shared[16:18], "big")
        self.page_size = 65536 if page_size == 1 else page_size
        first = bytearray(self.shared[: self.page_size])
        first[_WRITTEN_AS] = _WITH_JOURNAL  # there is one process, and nothing to log
        self.first = bytes(first)
        self.tables = self.first[_VERSION_OF_TABLES]


@dataclass(frozen=True, slots=True)
class PageImage:
    """A database as it was: its written pages by offset, its size, and how much of the world it still shared. Never changed."""

    world: World
    written: dict[int, bytes]
    size: int
    shared_to: int

    @classmethod
    def initial(cls, world: World) -> PageImage:
        """A world as it is, written as databases here are."""
        return cls(world, {0: world.first}, world.size, world.size)


class _Pages:
    """One open database, as SQLite's pager sees a file. Bytes and offsets as in a file."""

    __slots__ = ("__weakref__", "page_size", "shared", "shared_to", "size", "world", "written")

    def __init__(self, image: PageImage) -> None:
        self.world = image.world
        self.shared = image.world.shared
        self.page_size = image.world.page_size
        self.load(image)

    def load(self, image: PageImage) -> None:
        self.written = image.written.copy()
        self.size = image.size
        self.shared_to = image.shared_to

    def image(self) -> PageImage:
        return PageImage(self.world, self.written.copy(), self.size, self.shared_to)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 SQLite's names
        page = self.written.get(offset)
        if page is None:
            if offset % self.page_size:
                return self._part(amount, offset)
            page = self.shared[offset : min(offset + amount, self.shared_to)]
        return page if len(page) == amount else page[:amount]

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if len(data) != self.page_size or offset % self.page_size:
            return self._write_part(data, offset)
        self.written[offset] = data
        if offset + len(data) > self.size:
            self.size = offset + len(data)
        return None

    def xFileSize(self) -> int:  # noqa: N802
        return self.size

    def xTruncate(self, size: int) -> None:  # noqa: N802
        for offset in [o for o in self.written if o >= size]:
            del self.written[offset]
        self.size = size
        self.shared_to = min(self.shared_to, size)

    def _part(self, amount: int, offset: int) -> bytes:
        within = offset % self.page_size
        return self._page(offset - within)[within : within + amount]

    def _write_part(self, data: bytes, offset: int) -> None:
        written = 0
        while written < len(data):
            within = (offset + written) % self.page_size
            start = offset + written - within
            page = bytearray(self._page(start))
            part = data[written : written + self.page_size - within]
            page[within : within + len(part)] = part
            self.written[start] = bytes(page)
            written += len(part)
        self.size = max(self.size, offset + len(data))

    def _page(self, start: int) -> bytes:
        page = self.written.get(start)
        if page is None:
            page = self.shared[start : min(start + self.page_size, self.shared_to)]
        return page + bytes(self.page_size - len(page))

    # One connection has the database, and it goes with its process: nothing to lock, and nothing to wait for.

    def xLock(self, level: int) -> None: ...  # noqa: N802
    def xUnlock(self, level: int) -> None: ...  # noqa: N802
    def xSync(self, flags: int) -> None: ...  # noqa: N802
    def xClose(self) -> None: ...  # noqa: N802

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xSectorSize(self) -> int:  # noqa: N802
        return _SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xFileControl(self, operation: int, pointer: int) -> bool:  # noqa: N802
        return False


class _Files(apsw.VFS):
    """The VFS for the databases of this module. Temporary files (large sorts) use the operating system's VFS."""

    def __init__(self) -> None:
        super().__init__(_NAME, "")
        self.opening: dict[str, _Pages] = {}

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        if not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return super().xOpen(name, flags)
        flags[1] = flags[0]
        return self.opening.pop(name.filename() if isinstance(name, apsw.URIFilename) else name)

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xAccess(self, path: str, flags: int) -> bool:  # noqa: N802
        return False

    def xDelete(self, path: str, sync: bool) -> None: ...  # noqa: N802


_files = _Files()
_open: WeakValueDictionary[str, _Pages] = WeakValueDictionary()


def connect(image: PageImage, *, statements: int) -> apsw.Connection:
    """Open an in-memory database from a page image, with a cache of `statements` prepared statements."""
    name = f"pages-{next(_numbers)}"
    pages = _files.opening[name] = _open[name] = _Pages(image)
    try:
        connection = apsw.Connection(name, vfs=_NAME, flags=_FLAGS, statementcachesize=statements)
    finally:
        _files.opening.pop(name, None)
    del pages
    connection.execute(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"
        f"PRAGMA cache_size=-{_CACHED_KIB}"
    ).fetchall()
    return connection


def in_memory(connection: apsw.Connection) -> bool:
    """Whether a connection's database is in this process's memory, and no file's."""
    return not connection.filename or connection.filename in _open


def image_of(connection: apsw.Connection) -> PageImage | None:
    """A database of this module as it is now, for any number of others; None for another one.

    Raises:
        RuntimeError: in the middle of a transaction, of which some pages may be written and others not.
    """
    pages = _open.get(connection.filename)
    if pages is None:
        return None
    if connection.in_transaction:
        raise RuntimeError("a context is copied between its transactions")
    return pages.image()


def save(image: PageImage, path: str, *, with_log: bool = False) -> None:
    """Write a page image into a file, which is created or truncated. `with_log` sets WAL mode in its header.

    Raises:
        OSError: also on a full disk; the file may then be incomplete.
    """
    world, written = image.world, dict(image.written)
    if with_log:
        first = bytearray(written[0])
        first[_WRITTEN_AS] = _WITH_LOG
        written[0] = bytes(first)
    with open(path, "wb", buffering=0) as file:
        number = file.fileno()
        is_whole = world.size == image.size == image.shared_to
        if not (is_whole and share_bytes(world.file.fileno(), number)):
            write_bytes(number, memoryview(world.shared)[: min(image.shared_to, image.size)])
        for offset, page in written.items():
            os.pwrite(number, page, offset)
        file.truncate(image.size)


def restore(connection: apsw.Connection, image: PageImage) -> None:
    """Set an open database of this module to a page image of the same world.

    SQLite uses its cached pages while no other connection can have written, or while the version in the header is the one it has
    seen; the same applies to its parsed schema. The connection therefore has to release its lock, and sees new versions when it
    locks again. The schema version changes only if the schema may differ, because parsing it takes longer than all other work.
    """
    pages = _open[connection.filename]
    if connection.in_transaction:
        raise RuntimeError("a context is put back between its transactions")
    connection.execute("PRAGMA locking_mode=NORMAL; PRAGMA schema_version").fetchall()
    known = pages.written[0]
    pages.load(image)
    first = bytearray(pages.written[0])
    first[_VERSION] = first[_VERSION_OF_SIZE] = _next(known[_VERSION])
    if not known[_VERSION_OF_TABLES] == first[_VERSION_OF_TABLES] == pages.world.tables:
        first[_VERSION_OF_TABLES] = _next(known[_VERSION_OF_TABLES])
    pages.written[0] = bytes(first)
    connection.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA schema_version").fetchall()


def reset_to_world(connection: apsw.Connection) -> World | None:
    """Reset an open database of this module to its world for reuse, and return the world.

    Return None if this is not possible quickly: its schema may have changed, a statement is still reading, or the connection
    was restricted by an authorizer for untrusted SQL.
    """
    pages = _open.get(connection.filename)
    if pages is None or connection.txn_state("main") != apsw.SQLITE_TXN_NONE or connection.authorizer is not None:
        return None
    if pages.written[0][_VERSION_OF_TABLES] != pages.world.tables:
        return None
    restore(connection, PageImage.initial(pages.world))
    return pages.world


def _next(version: bytes) -> bytes:
    return ((int.from_bytes(version, "big") + 1) % 2**32).to_bytes(4, "big")
