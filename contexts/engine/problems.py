"""The errors of contexts; each message is for the caller and names the valid form."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import apsw
import orjson

_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.AbortError)
"""The errors with which SQLite reports a damaged file. AbortError means that a receipt does not match the rows it should undo."""
FILE_ERRORS = (*_DAMAGE, apsw.FullError, apsw.IOError, apsw.CantOpenError)
UNREADABLE = (UnicodeDecodeError, orjson.JSONDecodeError)
"""The errors of reading a context's damaged text. Kernels may raise the same errors for their arguments."""
_CANNOT_READ = frozenset(
    {apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_SHORT_READ, apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA}
)


class ContextError(Exception):
    """A context cannot be used as requested; the message names the problem and the valid form."""


class ContextEnded(ContextError):
    """The session was deleted while this process had its context open."""


class ContextDamaged(ContextError):
    """The file is not an intact context, or not there; `reason` says what was seen."""

    def __init__(self, reason: object) -> None:
        self.reason = str(reason)
        super().__init__(
            f"the session's context is damaged: {reason}; what still works: reset it, restore a snapshot of it, or delete it"
        )


class SnapshotDamaged(ContextError):
    """A snapshot's file is not an intact context, or not there. Nothing was changed."""

    def __init__(self, snapshot_id: str, reason: object) -> None:
        super().__init__(
            f"nothing was changed: the snapshot {snapshot_id} is damaged ({reason}); restore another one, or reset the session"
        )


class ContextTaken(ContextError):
    """Another gateway has taken the session over since this one opened `context`. Nothing was changed."""

    def __init__(self, context: object) -> None:
        super().__init__("another gateway has taken this session over; send the request again")
        self.context = context


class ContextFull(ContextError):
    """The context may not grow any further. Nothing was changed."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            f"nothing was changed: it would have made the session larger than the {max_bytes:,} bytes that it may have "
            "(--max-session-bytes); reset it, put it back to a snapshot or an earlier step, or make a new session"
        )


class ClockEnded(ContextError):
    """The session's clock has stopped, so no further call can have a time. Nothing was changed."""

    def __init__(self) -> None:
        super().__init__(
            "nothing was done: the session's clock has reached its end, the year 9999; set it to an earlier "
            "moment (POST /api/sessions/…/clock with `at`), go back to an earlier step, or reset the session"
        )


class DiskFull(ContextError):
    """The disk has no space for the data to write. Nothing was changed."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"nothing was changed: it could not be stored ({reason}); free disk space and try again")


class ContextBusy(ContextError):
    """Another process held the context for longer than the busy timeout."""

    def __init__(self) -> None:
        super().__init__("another process is using this session's context; try again in a moment")


class ContextOccupied(ContextBusy):
    """The context is being restored."""

    def __init__(self) -> None:
        ContextError.__init__(self, "the session is being restored; try again in a moment")


def file_problem(error: apsw.Error) -> ContextError:
    """Translate one of `FILE_ERRORS` into a context error."""
    if isinstance(error, _DAMAGE) or getattr(error, "extendedresult", None) in _CANNOT_READ:
        return ContextDamaged(error)
    # A backup's error has no message, so the message for a full disk is set here.
    return DiskFull("the disk is full" if isinstance(error, apsw.FullError) else error)


@contextmanager
def opening(connection: apsw.Connection) -> Iterator[None]:
    """Check that a connection opens a context; close it if the block fails.

    Raises:
        ContextDamaged: not a database, or not a context.
        DiskFull: the disk has no space for the files that an open context needs.
    """
    try:
        yield
    except BaseException as error:
        connection.close()
        if isinstance(error, FILE_ERRORS):
            raise file_problem(error) from None
        if isinstance(error, (apsw.SQLError, ValueError, TypeError)):  # a missing table, or undecodable text
            raise ContextDamaged(error) from None
        raise


@contextmanager
def storing() -> Iterator[None]:
    """Translate SQLite's errors for files that the block creates into context errors.

    Raises:
        DiskFull: the caller only has to remove the files that were started.
        ContextBusy: another process is using one of them.
    """
    try:
        yield
    except apsw.BusyError:
        raise ContextBusy from None
    except FILE_ERRORS as error:
        raise file_problem(error) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull("the disk is full") from None
