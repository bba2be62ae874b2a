"""The documentation as pages of the gateway: rendered Markdown with links between the pages."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from soundstage.gateway.documents import DOCUMENTS, FOLDER, no_such, text_of, title_of
from soundstage.gateway.web.page import Web

_HOME = "/docs"
_OUTSIDE = re.compile(r"[a-z]+:|/|#")


def routes(web: Web) -> list[BaseRoute]:
    """Return the documentation pages."""

    async def show(request: Request) -> Response:
        name = request.path_params["name"]
        text = text_of(name)
        if text is None:
            raise HTTPException(404, no_such(name))
        return web.page(
            request,
            "document.html.jinja",
            title=title_of(text),
            twin=f"/api/docs/{name}",
            text=_rendered(name, text),
            documents=DOCUMENTS,
            here=name,
        )

    async def first(request: Request) -> Response:
        return RedirectResponse(f"{_HOME}/{DOCUMENTS[0].name}", 307)

    pictures = StaticFiles(directory=FOLDER / "pictures")
    return [Mount(f"{_HOME}/pictures", pictures), web.route(_HOME, first), web.route(f"{_HOME}/{{name:path}}", show)]


@cache
def _rendered(name: str, text: str) -> Markup:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    _name_headings(tokens)
    for token in tokens:
        for inner in token.children or ():
            for attribute in ("href", "src"):
                if attribute in inner.attrs:
                    inner.attrs[attribute] = _within(name, str(inner.attrs[attribute]))
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704 markup in the source is escaped


def _within(name: str, link: str) -> str:
    """Rewrite a link: pages lose their suffix, targets outside of the documentation are unchanged."""
    if _OUTSIDE.match(link):
        return link
    path, mark, heading = link.partition("#")
    target = posixpath.normpath(posixpath.join(_HOME, posixpath.dirname(name), path))
    return target.removesuffix(".md") + mark + heading


def _name_headings(tokens: Sequence[Token]) -> None:
    """Give each heading an anchor as code hosts do: words in lower case, joined by hyphens."""
    used: Counter[str] = Counter()
    for opening, inside in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = "".join(t.content for t in inside.children or () if t.type in ("text", "code_inline"))
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        again = used[slug]
        used[slug] += 1
        opening.attrs["id"] = f"{slug}-{again}" if again else slug
