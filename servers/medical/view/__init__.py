"""The view of the medical sources: cached queries, drug labels and articles."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soundstage.contexts.apps.medical import SECTIONS
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import parse_moment
from soundstage.contexts.engine.schema import Object
from soundstage.servers.view import Query, View

_MOST_ASKED, _MOST_LISTED = 100, 400
_SHELVES = {"": "Asked", "drugs": "Drugs", "articles": "Articles"}


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show a section; the query's `shelf` is drugs, articles or queries, `drug` and `article` are the keys of the open item."""
    label = context.get("drug_label", query["drug"]) if "drug" in query else None
    article = context.get("article", query["article"]) if "article" in query else None
    shelf = "drugs" if label else "articles" if article else query.get("shelf", "")
    data: dict[str, Any] = {
        "shelves": _SHELVES,
        "shelf": shelf if shelf in _SHELVES else "",
        "label": None,
        "article": article,
    }
    if label is not None:
        sections = [(name.replace("_", " ").capitalize(), label[name]) for name in SECTIONS if label.get(name)]
        data |= {"label": _drug(label), "sections": sections}
    match data["shelf"]:
        case "drugs":
            data["drugs"] = [_drug(row) for row in context.list("drug_label", limit=_MOST_LISTED)]
        case "articles":
            data["articles"] = context.list("article", limit=_MOST_LISTED)
        case _:
            data |= {"outages": context.list("outage"), "cache": context.first("cache") or {}}
            data["asked"] = [_query(entry, now) for entry in _latest(context)]
    return View("sources.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a row: drugs and articles have separate pages, cached results are on the first page."""
    match entity:
        case "cache_entry" | "cache" | "outage":
            return {}
        case "drug_label":
            return {"drug": str(value.get("record_id", ""))}
        case "article":
            return {"article": str(value.get("pmid", ""))}
        case _:
            return None


def _latest(context: AppContext) -> list[Object]:
    size = context.count("cache_entry")
    entries = context.list("cache_entry", limit=_MOST_ASKED, offset=max(0, size - _MOST_ASKED))
    return entries[::-1]


def _query(entry: Object, now: datetime) -> dict[str, Any]:
    data = entry.get("found", entry.get("data"))
    runs_out = _moment(entry.get("expiresAt"))
    return {
        "id": entry["id"],
        "operation": str(entry.get("operation") or ""),
        "source": str(entry.get("source") or ""),
        "words": _words(entry.get("params") or {}),
        "found": len(data) if isinstance(data, list) else int(data is not None),
        "told": "found" in entry or "data" in entry,
        "at": _moment(entry.get("timestamp")),
        "has_run_out": runs_out is not None and now > runs_out,
    }


def _words(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in params.items())


def _drug(row: Object) -> dict[str, Any]:
    openfda = row.get("openfda") or {}
    first = {name: values[0] if values else "" for name, values in openfda.items() if isinstance(values, list)}
    names = ("brand_name", "generic_name", "manufacturer_name", "product_ndc")
    return {"record_id": row["record_id"], **{name: first.get(name, "") for name in names}}


def _moment(text: object) -> datetime | None:
    try:
        return parse_moment(str(text))
    except ValueError:
        return None
