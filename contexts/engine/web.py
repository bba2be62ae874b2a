"""Data that sites have stored about the session: tables that several apps read and write.

The pages themselves belong to the library or an app. These tables contain the results of visits: accounts, orders, comments and
messages sent through forms, and browser storage of a site. They belong to the context like an app's objects: to state, tree,
receipts, diff, reset and fork. A context has them, under the name `web`, if one of its apps declares that it uses the web
(`AppTables(…, web=True)`).

A `host` is a site's name with its port, if it has one, such as `shop.test`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Json, Object, id_format
from soundstage.contexts.engine.shapes import shape

if TYPE_CHECKING:
    from soundstage.contexts.engine.app_context import AppContext

NAME = "web"

Place = Literal["cookie", "local"]
"""The browser storage of a site: cookies or local storage."""

TABLES = AppTables(NAME)

# An object that was sent to a site and stored there: `kind` is its type (account, order, comment …), `path` the page. `at` is
# in milliseconds since 1970.
RECORD = TABLES.entity(
    "record",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("host", Text),
    Column("kind", Text),
    Column("path", Text),
    Column("fields", Json, info=shape({...: str})),
    Column("at", Integer),
)
STORAGE = TABLES.entity(
    "kept",
    Column("host", Text, primary_key=True),
    Column("place", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text),
)

MEANING = Meaning(
    automatic={"record": frozenset({"at"})},
    outward=frozenset({"record"}),
    text={"record": lambda row: " ".join(str(value) for value in (row.get("fields") or {}).values())},
)


class Web:
    """The data that sites have stored about the session, as kernels see it."""

    def __init__(self, rows: AppContext) -> None:
        self._rows = rows

    def records(self, host: str, kind: str) -> list[Object]:
        """Return the objects of a kind that were sent to a site, oldest first."""
        return self._rows.list("record", {"host": host, "kind": kind})

    def record(self, host: str, key: str) -> Object | None:
        """Return a site's object with this id, or None."""
        row = self._rows.get("record", key)
        return row if row is not None and row.get("host") == host else None

    def add(self, host: str, kind: str, path: str, fields: dict[str, Any], template: str) -> Object:
        """Have a site keep something, under a new id made by a template such as `ORD-{digits:6}`."""
        key = self._rows.new_id(f"{host}.{kind}", template)
        row = {"id": key, "host": host, "kind": kind, "path": path, "fields": fields}
        return self._rows.create("record", {**row, "at": to_ms(self._rows.now())})

    def storage(self, host: str, place: Place) -> dict[str, str]:
        """Return the browser storage of a site, by name."""
        rows = self._rows.list("kept", {"host": host, "place": place})
        return {str(row["name"]): str(row.get("value", "")) for row in rows}

    def set_item(self, host: str, place: Place, name: str, value: str | None) -> None:
        """Keep a value for a site; None forgets it."""
        key = (host, place, name)
        if value is None:
            self._rows.delete("kept", key)
        elif self._rows.get("kept", key) is None:
            self._rows.create("kept", {"host": host, "place": place, "name": name, "value": value})
        else:
            self._rows.update("kept", key, {"value": value})
