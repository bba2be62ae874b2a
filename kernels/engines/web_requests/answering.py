"""Route a request to a page, an endpoint, an asset or the site's 404 page.

A site exists under the schemes and ports that its pages' URLs use; a site with only https redirects http requests to https.
Paths below a site's `/api/` without an endpoint echo the request, like the sites of the recorded servers.
"""

from __future__ import annotations

import base64
from urllib.parse import unquote, urlsplit

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web_requests.endpoints import answer, echo
from soundstage.kernels.engines.web_requests.messages import NetworkError, Request, Response
from soundstage.kernels.engines.web_requests.pages import account, shown

_MOST_REDIRECTS = 20
_OWN = ("localhost", "127.0.0.1")
_NOT_FOUND = (
    "<!doctype html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>There is nothing at "
    "this address.</p></body></html>"
)


def respond(context: AppContext, request: Request) -> Response:
    """Answer a request and follow redirects.

    Raises:
        NetworkError: No server listens at the address, or there are too many redirects.
    """
    for _ in range(_MOST_REDIRECTS):
        response = answered(context, request)
        if response.location is None:
            return response
        request = request.to(response.location, keep=response.status in (307, 308))
    raise NetworkError("too_many_redirects", request.host, 0)


def answered(context: AppContext, request: Request) -> Response:
    """Answer a single request; a redirect is a valid response.

    Raises:
        NetworkError: No server listens at the address.
    """
    _check_reachable(context, request)
    if (endpoint := _endpoint(context, request)) is not None:
        return answer(context, endpoint, request)
    page = _page(context, request)
    if (
        page is not None
        and page["url"].rstrip("/") == request.plain.rstrip("/")
        and page["url"] != request.plain
        and "?" not in page["url"]
    ):
        return Response(301, "", request.url, location=page["url"])
    if page is not None:
        return _page_response(context, request, page)
    if (asset := _asset(context, request)) is not None:
        return asset
    if request.path.startswith("/api/"):
        return echo(request)
    return Response(404, _NOT_FOUND, request.url)


def _check_reachable(context: AppContext, request: Request) -> None:
    """Raise NetworkError if no site listens at the address; an https site also accepts http."""
    parts = urlsplit(request.url)
    name, port = parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    if _listens(context, parts.scheme, request.host):
        return
    if parts.port is None and parts.scheme == "http" and _listens(context, "https", name):
        return
    known = name in _OWN or any(_listens(context, scheme, name) for scheme in ("http", "https"))
    if known or _with_port(context, name):
        raise NetworkError("refused", name, port)
    raise NetworkError("unknown_host", name, port)


def _listens(context: AppContext, scheme: str, host: str) -> bool:
    start = f"{scheme}://{host}/"
    entries = [entity for entity in ("page", "endpoint") if _told_by(context, entity)]
    return any(context.first(entity, {"url >=": start, "url <": start[:-1] + "0"}) is not None for entity in entries)


def _with_port(context: AppContext, name: str) -> bool:
    return any(
        context.first("page", {"url >=": f"{s}://{name}:", "url <": f"{s}://{name};"}) is not None
        for s in ("http", "https")
    )


def _forms(request: Request) -> list[str]:
    """Return the URLs under which a resource may be stored, most exact first, including decoded and https forms."""
    plain = request.plain
    whole = request.url.partition("#")[0]
    other = plain[:-1] if plain.endswith("/") else plain + "/"
    ways = [whole, plain, other]
    ways += [unquote(way) for way in ways]
    return ways + [way.replace("http://", "https://", 1) for way in ways if way.startswith("http://")]


def _told_by(context: AppContext, entity: str) -> bool:
    """Return whether an entity applies: a state that defines its pages excludes the library's pages and assets."""
    return context.source(entity) != "library" or context.source("page") != "own"


def _endpoint(context: AppContext, request: Request) -> Object | None:
    if not _told_by(context, "endpoint"):
        return None
    for url in dict.fromkeys(_forms(request)):
        row = context.get("endpoint", url)
        if row is not None and row.get("method", "*") in ("*", request.method):
            return row
    steps = request.plain.split("/")
    for i in range(len(steps) - 1, 2, -1):
        row = context.get("endpoint", "/".join(steps[:i]))
        if row is not None and (row.get("rule") or {}).get("below") and row.get("method", "*") in ("*", request.method):
            return row
    return None


def _page(context: AppContext, request: Request) -> Object | None:
    return next((row for url in dict.fromkeys(_forms(request)) if (row := context.get("page", url)) is not None), None)


def _page_response(context: AppContext, request: Request, page: Object) -> Response:
    url = str(page["url"])
    site = urlsplit(url).netloc.lower()
    kind = str(page.get("content_type") or "text/html; charset=utf-8")
    text = str(page.get("html") or "")
    if "html" in kind:
        signed_in = account(context, site) if request.cookies else None
        text = shown(context, site, request.path, text, signed_in)
    came_from = request.url if url.startswith(f"{request.scheme}:") else request.url.replace("http://", "https://", 1)
    return Response(int(page.get("status") or 200), text if request.method != "HEAD" else "", came_from, kind)


def _asset(context: AppContext, request: Request) -> Response | None:
    record = (context.get("asset", url) for url in dict.fromkeys(_forms(request)))
    row = next((row for row in record if row is not None), None) if _told_by(context, "asset") else None
    if row is None:
        return None
    data = base64.b64decode(row.get("base64") or "")
    kind = str(row.get("content_type") or "application/octet-stream")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    return Response(200, text, request.url, kind, data=data)
