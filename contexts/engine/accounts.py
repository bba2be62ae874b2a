"""Whose account acts: the people of the world that a context began with, and the account of each in each app.

They stand in the context itself, so that a copy, a snapshot or a replay on another machine needs nothing beside it. They are no
app's objects: no kernel sees them, receipts and digests leave them out, and state that is put in changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import apsw

DDL = """
CREATE TABLE _account (
  person TEXT NOT NULL, app TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (person, app)) STRICT, WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class People:
    """The people of a world by their keys: app → the key of the account's row there. `owner` is the one whose account the
    state itself gives as that of whoever acts; None where it is nobody of them.
    """

    owner: str | None = None
    accounts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class Accounts:
    """The people of one context. What a process has read of it stays true: none of it changes while a context lives."""

    def __init__(self, execute: Callable[..., apsw.Cursor]) -> None:
        self._execute = execute
        self._own: tuple[str | None, str | None] | None = None

    @property
    def owner(self) -> str | None:
        """The person whose account the state itself gives."""
        return self._whose()[0]

    @property
    def user(self) -> str | None:
        """The person whom the session belongs to."""
        return self._whose()[1]

    def people(self) -> list[str]:
        """Everybody who has an account somewhere, by key; those with the most accounts first."""
        query = "SELECT person FROM _account GROUP BY person ORDER BY count(*) DESC, person"
        rows: Any = self._execute(query).fetchall()
        return [person for (person,) in rows]

    def of(self, person: str) -> dict[str, str]:
        """A person's accounts by app; none for somebody who is not of this world."""
        rows: Any = self._execute("SELECT app, account FROM _account WHERE person = ?", (person,)).fetchall()
        return dict(rows)

    def acting(self, user: str | None, app: str) -> str | None:
        """The account with which a person (None: whom the session belongs to) acts in an app.

        None where that is the account which the state itself gives.

        Raises:
            KeyError: for somebody without an account in the app.
        """
        owner, session_user = self._own or self._whose()
        person = session_user if user is None else user
        if person is None or person == owner:
            return None
        row: Any = self._execute("SELECT account FROM _account WHERE person = ? AND app = ?", (person, app)).fetchone()
        if row is None:
            raise KeyError(f"{person} has no account in {app}")
        return str(row[0])

    def put(self, people: People) -> None:
        """Write a world's people into its new context, inside a transaction. Its sessions are the owner's."""
        for person in sorted(people.accounts):
            for app, account in sorted(people.accounts[person].items()):
                self._execute("INSERT INTO _account VALUES (?, ?, ?)", (person, app, account))
        self._execute("UPDATE _meta SET owner = ?, user = ?", (people.owner, people.owner))
        self._own = None

    def belong_to(self, person: str) -> None:
        """Make a fresh context somebody's, inside a transaction."""
        self._execute("UPDATE _meta SET user = ?", (person,))
        self._own = None

    def _whose(self) -> tuple[str | None, str | None]:
        if self._own is None:
            row: Any = self._execute("SELECT owner, user FROM _meta").fetchone()
            self._own = (None, None) if row is None else (row[0], row[1])
        return self._own
