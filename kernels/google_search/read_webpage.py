"""The `read_webpage` tool."""

from __future__ import annotations

import base64
import re
from urllib.parse import unquote

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.web.addresses import host_of, parsed, scheme_of
from soundstage.kernels.engines.web.pages import has_own_pages, page_at
from soundstage.kernels.google_search.rules.errors import FetchFailed, InvalidParams, Thrown
from soundstage.kernels.google_search.rules.reading import cheerio
from soundstage.kernels.types import Arguments

_DATA = re.compile(r"data:(?:[\w/+.-]+)?(?:;[\w=-]+)*?(?P<base64>;base64)?,(?P<content>.*)", re.IGNORECASE | re.DOTALL)


_URL_SAFE = str.maketrans("-_", "+/")


def run(context: AppContext, arguments: Arguments) -> dict[str, str]:
    """Fetch a page and return its text."""
    url = arguments.get("url")
    if not isinstance(url, str):
        raise InvalidParams("webpage")
    title, text = cheerio(_fetched(context, url))
    return {"title": title, "text": text, "url": url}


def _fetched(context: AppContext, url: str) -> str:
    """Return the body of a response as axios reads it.

    Raises:
        Thrown: The URL is invalid.
        FetchFailed: The scheme is not supported, the host is unknown or refuses, or the status is not 2xx.
    """
    scheme = scheme_of(url)
    if scheme is None:
        raise Thrown("invalid", "Invalid URL")
    if scheme == "data" and (data := _DATA.fullmatch(url.strip())) is not None:
        content = unquote(data["content"])
        return _decoded(content) if data["base64"] else content
    if scheme not in ("http", "https"):
        raise FetchFailed("invalid", f"Unsupported protocol {scheme}:")
    if "://" not in url:
        raise FetchFailed("invalid", f'Invalid URL "{url}": missing "//" after protocol')
    page = page_at(context, url)
    if page is None:
        raise FetchFailed("not_found", _no_page(context, url))
    if page.get("unreachable"):
        raise FetchFailed("unavailable", f"connect ECONNREFUSED {_peer(url)}")
    status = page.get("status", 200)
    if not 200 <= status < 300:
        raise FetchFailed("not_found" if status == 404 else "unavailable", f"Request failed with status code {status}")
    return str(page.get("html") or "")


def _decoded(text: str) -> str:
    """Decode base64 like Node, which ignores invalid characters and an incomplete last one."""
    letters = re.sub(r"[^A-Za-z0-9+/]", "", text.translate(_URL_SAFE))
    whole = letters[:-1] if len(letters) % 4 == 1 else letters
    return base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8", "replace")


def _no_page(context: AppContext, url: str) -> str:
    """Return the error of a missing page: 404, or a failed DNS lookup for an unknown host. Recorded webs are behind a proxy."""
    host = host_of(url)
    if has_own_pages(context):
        return "Request failed with status code 404"
    if context.library.get("web", "site", host) is None:
        return f"getaddrinfo ENOTFOUND {host}"
    address = parsed(url)
    if address is not None and address.port:
        return f"connect ECONNREFUSED {_peer(url)}"
    return "Request failed with status code 404"


def _peer(url: str) -> str:
    address = parsed(url)
    assert address is not None
    return f"192.0.2.80:{address.port or ('443' if address.scheme == 'https' else '80')}"
