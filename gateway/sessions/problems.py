"""Errors about sessions that a request names."""

from __future__ import annotations

from collections.abc import Iterable

from soundstage.contexts.engine.clock import iso
from soundstage.gateway.registry.leases import Peer
from soundstage.gateway.registry.records import SessionRecord


class UnknownSession(LookupError):
    """No session has this id, name or handle."""


class ExpiredSession(UnknownSession):
    """The session's time to live is over."""

    def __init__(self, expires_ms: int) -> None:
        super().__init__(f"this session expired at {iso(expires_ms)}; make a new one")


class ReadOnlySession(Exception):
    """Only its agent may change this session."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"the session {session_id} is a trial's, which only its agent may change; fork it to try something else"
        )


class AppNotInSession(LookupError):
    """The session has no such app."""

    def __init__(self, app: str, known: Iterable[str]) -> None:
        super().__init__(f"this session has no app {app!r}; it has: {', '.join(known)}")


class OwnedElsewhere(Exception):
    """Another gateway has the session; the request must be forwarded to it."""

    def __init__(self, record: SessionRecord, owner: Peer) -> None:
        super().__init__(f"the session {record.id} is held by {owner.id}, which does not answer; try again in a moment")
        self.record = record
        self.owner = owner


class Draining(Exception):
    """This gateway is shutting down."""

    def __init__(self) -> None:
        super().__init__("this gateway is ending and makes no sessions any more; ask another, or try again")


class BadRequest(ValueError):
    """The request is invalid; the message names the valid form."""


class NoCapacity(Exception):
    """No further session or snapshot can be created for now; the message says how to make room."""


class TooManySessions(NoCapacity):
    """The number of sessions has reached its limit."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"there are {most} sessions, and no more are allowed (--max-sessions); delete some, or give sessions a ttl"
        )


class LowOnDisk(NoCapacity):
    """The disk has less free space than new sessions must leave. Existing sessions continue."""

    def __init__(self, free: int, wanted: int) -> None:
        super().__init__(
            f"the disk of the data folder has {free:,} bytes left, and {wanted:,} are to stay free (--min-free): sessions go "
            "on, but no new durable ones and no snapshots are made; delete some, or free disk space"
        )
