"""The people of the world that a context started from, and the account of each in each app.

They are stored in the context itself, so that a copy, a snapshot or a replay on another machine needs nothing else. They are
not app objects: no kernel sees them, receipts and digests leave them out, and imported state does not change them.
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
    """The people of a world by key: app → the key of the account's row in that app.

    `owner` is the person whose account the state itself marks as the acting one, or None.
    """

    owner: str | None = None
    accounts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class Accounts:
    """The people of one context. Values read by a process stay valid, because none of them changes while a context exists."""

    def __init__(self, execute: Callable[..., apsw.Cursor]) -> None:
        self._execute = execute
        self._own: tuple[str | None, str | None] | None = None

    @property
    def owner(self) -> str | None:
        """The person whose account the state itself gives."""
        return self._whose()[0]

    @property
    def user(self) -> str | None:
        """Return the person that the session belongs to."""
        return self._whose()[1]

    def people(self) -> list[str]:
        """Return the keys of all people with an account, those with the most accounts first."""
        query = "SELECT person FROM _account GROUP BY person ORDER BY count(*) DESC, person"
        rows: Any = self._execute(query).fetchall()
        return [person for (person,) in rows]

    def of(self, person: str) -> dict[str, str]:
        """Return a person's accounts by app; empty for a key that is not in this world."""
        rows: Any = self._execute("SELECT app, account FROM _account WHERE person = ?", (person,)).fetchall()
        return dict(rows)

    def acting(self, user: str | None, app: str) -> str | None:
        """Return the account with which a person (None: the session's user) acts in an app.

        None means the account that the state itself marks as the acting one.

        Raises:
            KeyError: the person has no account in the app.
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
        """Assign a new context to a person, inside a transaction."""
        self._execute("UPDATE _meta SET user = ?", (person,))
        self._own = None

    def _whose(self) -> tuple[str | None, str | None]:
        if self._own is None:
            row: Any = self._execute("SELECT owner, user FROM _meta").fetchone()
            self._own = (None, None) if row is None else (row[0], row[1])
        return self._own
