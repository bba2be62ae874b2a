"""Owners and seats of sessions: people of the world with accounts in its apps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import apsw

from soundstage.contexts.engine.accounts import Accounts
from soundstage.contexts.engine.clock import wall_ms
from soundstage.gateway.registry.records import Seat
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.share import new_seat_handle

_MAX_LISTED = 60
"""Number of people that an error message lists; a world may have thousands."""


def owned_apps(world: Path, user: str, apps: tuple[str, ...], *, chosen: bool) -> tuple[str, ...]:
    """Return the apps of a session that belongs to `user`, a person of the world in the database `world`.

    These are the apps in which the person has an account. Of explicitly `chosen` apps, none may be missing. The world's own
    user gets all chosen apps: with the account from the world's state, or with none in apps without accounts, such as a browser
    or a map.

    Raises:
        BadRequest: the person is not in this world or lacks an account in an app.
    """
    connection = apsw.Connection(str(world), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        accounts = Accounts(connection.execute)
        has, owner = _accounts_of(accounts, user), accounts.owner
    finally:
        connection.close()
    if chosen and user == owner:
        return apps
    missing = [app for app in apps if app not in has]
    if len(missing) == len(apps) or (chosen and missing):
        raise BadRequest(_without_account(user, missing, has))
    return tuple(app for app in apps if app in has)


def new_seat(session: Session, user: str) -> Seat:
    """Create a seat for a person of the session's world, in the apps where that person has an account.

    Raises:
        BadRequest: the person is not in this world or has no account in any of the session's apps.
    """
    has = _accounts_of(session.context.accounts, user)
    apps = tuple(app for app in session.apps if app in has)
    if not apps:
        raise BadRequest(_without_account(user, session.apps, has))
    return Seat(new_seat_handle(session.record.handle), session.id, user, apps, wall_ms())


def _accounts_of(accounts: Accounts, user: str) -> Mapping[str, str]:
    names = accounts.of(user)
    if not names:
        people = accounts.people()
        if not people:
            raise BadRequest(f"user: no person is named {user!r}; this session's world has no people")
        more = f" and {len(people) - _MAX_LISTED} more" if len(people) > _MAX_LISTED else ""
        raise BadRequest(
            f"user: no person of this world is named {user!r}; there are: {', '.join(people[:_MAX_LISTED])}{more}"
        )
    return names


def _without_account(user: str, missing: Iterable[str], has: Mapping[str, str]) -> str:
    return f"user: {user} has no account in {', '.join(missing)}, only in: {', '.join(sorted(has))}"
