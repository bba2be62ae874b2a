"""The entities of an app that drives a browser: its open tabs, the output of its pages, and the web as it sees it."""

from __future__ import annotations

import base64
from decimal import Decimal, InvalidOperation

import orjson
from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.ids import check_template
from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, Object, id_format
from soundstage.contexts.engine.shapes import Shape, shape

MEANING = Meaning(
    automatic={
        "browser": frozenset({"history", "current_url", "current_tab", "icons", "icon"}),
        "tab": frozenset({"log", "moment", "history", "position", "session"}),
        "console": frozenset({"at"}),
        "screenshot": frozenset({"at", "data"}),
    },
    text={
        "browser": lambda row: str(row.get("current_url") or ""),
        "tab": lambda row: str(row.get("url") or ""),
        "console": lambda row: str(row.get("text") or ""),
        "page": lambda row: str(row.get("title") or row.get("url") or ""),
    },
)


def _misfit(row: Object) -> str | None:
    try:
        base64.b64decode(row.get("base64") or "", validate=True)
    except ValueError:
        return "its base64 is invalid"
    return None


_TEXTS = (
    "collection",
    "then",
    "page",
    "error",
    "param",
    "name",
    "secret",
    "item",
    "quantity",
    "currency",
    "login_page",
    "id",
)
_RULE = {
    **dict.fromkeys(_TEXTS, str),
    "fields": {...: str},
    "items": [dict.fromkeys(("title", "text", "url"), str)],
    "prices": {...: (str, int, float)},
    "login": bool,
    "below": bool,
}
"""The shape of an endpoint's rule; `soundstage.kernels.engines.web_requests.endpoints` documents its meaning."""

_VISITED: Shape = {
    **dict.fromkeys(("url", "log", "state"), str),
    **dict.fromkeys(("document", "since"), int),
    "frames": {...: str},
    "shown": {...: {"html": str, "url": str, "plain": bool, "held": [dict]}},
}
"""An entry of a tab's history; `soundstage.kernels.engines.browser.history` documents its meaning."""


def _no_rule(row: Object) -> str | None:
    """Return why a rule is invalid, or None."""
    rule = row.get("rule") or {}
    try:
        check_template(str(rule.get("id") or ""))
        prices = [Decimal(str(price)) for price in (rule.get("prices") or {}).values()]
    except (ValueError, InvalidOperation) as error:
        return f"its rule is invalid ({error})"
    return None if all(price.is_finite() for price in prices) else "its rule has a price that is not a number"


def _no_log(row: Object) -> str | None:
    """Return why a log is invalid, or None. Its entries belong to the browser; states store them unchanged."""
    try:
        fits = row.get("log") is None or isinstance(orjson.loads(row["log"]), list)
    except orjson.JSONDecodeError:
        fits = False
    return None if fits else "its log is not a JSON list"


def browsing(tables: AppTables) -> None:
    """Declare the browsing entities of an app.

    `browser` is the open browser, if any; a state may give its `current_url` alone. `tab` stores what a page was loaded from
    and the actions on it since (`log`, JSON), from which each call rebuilds the page. `history` stores the visited addresses,
    with the logs of pages that were left.
    """
    tables.entity(
        "page",
        Column("url", Text, primary_key=True),
        Column("title", Text),
        Column("html", Text),
        Column("content_type", Text),
        Column("status", Integer),
        open_fields=True,
        open_shape={...: object},
        backed="SELECT url, title, html, content_type, status, _seq FROM web_page",
    )
    tables.entity(
        "endpoint",
        Column("url", Text, primary_key=True),
        Column("method", Text),
        Column("kind", Text),
        Column("rule", Json, info=shape(_RULE)),
        backed="SELECT url, method, kind, rule, _seq FROM web_endpoint",
        misfit=_no_rule,
    )
    tables.entity(
        "asset",
        Column("url", Text, primary_key=True),
        Column("content_type", Text),
        Column("base64", Text),
        backed="SELECT url, content_type, base64, _seq FROM web_asset",
        misfit=_misfit,
    )
    tables.entity(
        "browser",
        Column("session", Text, primary_key=True, info=id_format("{hex:12}")),
        Column("current_url", Text),
        Column("history", Json, info=shape([str])),
        Column("field_values", Json, info=shape({...: str})),
        Column("current_tab", Text),
        Column("viewport", Json, info=shape({"width": int, "height": int})),
        Column("user_agent", Text),
        Column("kind", Text),
        Column("launch", Text),
        Column("icons", Json, info=shape([str])),
        Column("icon", Text),
    )
    tables.entity(
        "tab",
        Column("id", Text, primary_key=True, info=id_format("{hex:12}")),
        Column("browser", Text),
        Column("url", Text),
        Column("history", Json, info=shape([_VISITED])),
        Column("position", Integer),
        Column("session", Json, info=shape({...: {...: str}})),
        Column("moment", Integer),
        Column("dialog", Text),
        Column("quiet", Flag),
        Column("log", Text),
        parents={"browser": "browser"},
        misfit=_no_log,
    )
    tables.entity(
        "console",
        Column("id", Text, primary_key=True, info=id_format("{hex:12}")),
        Column("type", Text),
        Column("text", Text),
        Column("at", Integer),
    )
    tables.entity(
        "screenshot",
        Column("name", Text, primary_key=True),
        Column("data", Text),
        Column("at", Integer),
    )
