"""A search engine's page: queries, newest first, the results of one of them, and pages of the simulated web.

These apps store no queries, so the view reads the calls and the texts of their replies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web.content import blocks, lined
from soundstage.kernels.engines.web.pages import page_at, title_of
from soundstage.servers.view import Call, Calls, Query, View

RESULTS = "results/view/results.html.jinja"

_MOST_ASKED, _MOST_RESULTS, _MOST_PAGES = 40, 100, 60
_MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Result:
    """A page in a reply.

    `whole` is true if the text is the page's complete text, `found_by` is the query that found it if a call has several, and
    `url` is empty if the reply has none.
    """

    title: str
    url: str
    text: str = ""
    whole: bool = False
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of a reply: results, picture URLs, the path of a picture on the session's disk, and other text unchanged."""

    results: Sequence[Result] = ()
    pictures: Sequence[str] = ()
    drawn: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Engine:
    """The settings of an app's view: its name, labels of its tools, the arguments with queries, and the parser of its replies."""

    name: str
    verbs: Mapping[str, str]
    asked_in: Sequence[str]
    read: Callable[[Call], Answer]
    troubles: Sequence[str] = field(default=())
    """Reasons why the app cannot serve requests, as text."""
    has_web: bool = True
    """Whether the app has web pages, its entity `page`."""


def show_results(context: AppContext, query: Query, calls: Calls, engine: Engine) -> View:
    """Show the results of a call, or a page.

    The query's `step` is the open call (by default the newest), `page` the URL of a page to show instead, and `before` a step
    for paging backwards.
    """
    before = _number(query.get("before"))
    step = _number(query.get("step"))
    requested = calls.newest(_MOST_ASKED + 1, before)
    opened = (calls.at(step) if step is not None else None) or (requested[0] if requested else None)
    wanted = query.get("page") if engine.has_web else None
    page = page_at(context, wanted) if wanted else None
    answer = engine.read(opened) if opened is not None and opened.ok else None
    data: dict[str, Any] = {
        "engine": engine.name,
        "troubles": engine.troubles,
        "asked": [_query(engine, call) for call in requested[:_MOST_ASKED]],
        "older": requested[_MOST_ASKED - 1].step if len(requested) > _MOST_ASKED else None,
        "opened": None if opened is None else _query(engine, opened),
        "answer": answer,
        "shown": [] if answer is None else answer.results[:_MOST_RESULTS],
        "refusal": opened.text if opened is not None and not opened.ok else None,
        "page": None if page is None else _page(page),
        "missing": wanted if page is None else None,
        "pages": context.count("page") if engine.has_web else 0,
        "own": _listed(context) if engine.has_web and context.source("page") != "library" else [],
    }
    return View(RESULTS, data)


def place_in_results(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a web page; the states of key and plan are always visible."""
    return {"page": str(value["url"])} if entity == "page" else {}


def _query(engine: Engine, call: Call) -> dict[str, Any]:
    words = next((call.arguments[name] for name in engine.asked_in if name in call.arguments), "")
    others = {name: _listing(value) for name, value in call.arguments.items() if name not in engine.asked_in}
    return {
        "step": call.step,
        "at": call.at,
        "verb": engine.verbs.get(call.tool, call.tool),
        "words": str(_listing(words)),
        "others": others,
        "ok": call.ok,
    }


def _listing(value: Any) -> Any:
    """Join a list of strings for display; return other values unchanged."""
    return ", ".join(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value


def _page(page: Object) -> dict[str, Any]:
    stated = page.get("raw_content") or page.get("content") or lined(blocks(str(page.get("html") or "")))
    status = page.get("status", 200)
    return {
        "url": page["url"],
        "title": title_of(page) or page["url"],
        "text": str(stated)[:_MOST_TEXT],
        "status": status if status != 200 else None,
        "kind": page.get("content_type"),
        "unreachable": bool(page.get("unreachable")),
    }


def _listed(context: AppContext) -> list[dict[str, str]]:
    """Return the pages that the session's state defines."""
    of_state = context.list("page", order="url", limit=_MOST_PAGES)
    return [{"url": str(p["url"]), "title": str(p.get("title") or p["url"])} for p in of_state]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
