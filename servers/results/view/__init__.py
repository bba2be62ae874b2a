"""A search engine's results: what was asked, the newest first, what came of one of these, and a page of the engine's web.

These apps keep nothing of what they are asked, so it is read from the calls, in the words of the answers that the agent got.
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
    """A page in an answer: what the answer says of it. `whole` where that is the page's text, not a passage; `found_by` the words
    that it was found by, where a call has several; `url` is empty where the answer has none."""

    title: str
    url: str
    text: str = ""
    whole: bool = False
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a call: results, addresses of pictures, the path of a picture on the session's disk, and what is none of
    these, as it is."""

    results: Sequence[Result] = ()
    pictures: Sequence[str] = ()
    drawn: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Engine:
    """How one app is shown: its name, what its tools are called, which arguments are what was asked, how its answers read."""

    name: str
    verbs: Mapping[str, str]
    asked_in: Sequence[str]
    read: Callable[[Call], Answer]
    troubles: Sequence[str] = field(default=())
    """What keeps it from answering, in words."""
    has_web: bool = True
    """Whether the app has pages of a web, its entity `page`."""


def show_results(context: AppContext, query: Query, calls: Calls, engine: Engine) -> View:
    """`step` is the call that is open, left out the newest; `page` the address of a page that is read in its place; `before` a
    step to page back from."""
    before = _number(query.get("before"))
    step = _number(query.get("step"))
    asked = calls.newest(_MOST_ASKED + 1, before)
    opened = (calls.at(step) if step is not None else None) or (asked[0] if asked else None)
    wanted = query.get("page") if engine.has_web else None
    page = page_at(context, wanted) if wanted else None
    answer = engine.read(opened) if opened is not None and opened.ok else None
    data: dict[str, Any] = {
        "engine": engine.name,
        "troubles": engine.troubles,
        "asked": [_asked(engine, call) for call in asked[:_MOST_ASKED]],
        "older": asked[_MOST_ASKED - 1].step if len(asked) > _MOST_ASKED else None,
        "opened": None if opened is None else _asked(engine, opened),
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
    """Pages of the web; what is wrong with the key or the plan is always to be seen."""
    return {"page": str(value["url"])} if entity == "page" else {}


def _asked(engine: Engine, call: Call) -> dict[str, Any]:
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
    """A list of texts as people read one; anything else as it is."""
    return ", ".join(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value


def _page(page: Object) -> dict[str, Any]:
    told = page.get("raw_content") or page.get("content") or lined(blocks(str(page.get("html") or "")))
    status = page.get("status", 200)
    return {
        "url": page["url"],
        "title": title_of(page) or page["url"],
        "text": str(told)[:_MOST_TEXT],
        "status": status if status != 200 else None,
        "kind": page.get("content_type"),
        "unreachable": bool(page.get("unreachable")),
    }


def _listed(context: AppContext) -> list[dict[str, str]]:
    """The pages that the session's state gives."""
    of_state = context.list("page", order="url", limit=_MOST_PAGES)
    return [{"url": str(p["url"]), "title": str(p.get("title") or p["url"])} for p in of_state]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
