"""URL parsing as in a browser: absolute URLs in a normalized form."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit

_DEFAULT = {"http": 80, "https": 443}
_UNESCAPED = "/:@!$&'()*+,;=-._~%|[]^{}"


def normal(url: str) -> str | None:
    """Return an absolute URL in a browser's normalized form, or None if it is invalid."""
    text = re.sub(r"[\t\n\r]", "", url.strip())
    scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*):", text)
    if scheme is None:
        return None
    name = scheme[1].lower()
    if name not in _DEFAULT:
        return name + text[len(scheme[1]) :]
    rest = "//" + re.sub(r"^[/\\]*", "", text[len(scheme[0]) :])
    try:
        parts = urlsplit(f"{name}:{rest}")
        port = parts.port
    except ValueError:
        return None
    host = (parts.hostname or "").lower()
    if not host or re.search(r"[\s<>^|%]", host):
        return None
    place = host if port is None or port == _DEFAULT[name] else f"{host}:{port}"
    path = _tidy(quote(parts.path or "/", safe=_UNESCAPED))
    spelt: str = urlunsplit(
        (name, place, path, quote(parts.query, safe=_UNESCAPED + "?"), quote(parts.fragment, safe=_UNESCAPED + "?"))
    )
    return spelt


def referrer(page: str, goal: str) -> str:
    """Return the Referer of a request from `page` to `goal` under the policy `strict-origin-when-cross-origin`.

    It is the page's URL for the same origin, its origin for other origins, and empty from https to http.
    """
    here, there = urlsplit(page), urlsplit(goal)
    if here.scheme not in ("http", "https") or (here.scheme, there.scheme) == ("https", "http"):
        return ""
    if (here.scheme, here.netloc) == (there.scheme, there.netloc):
        return page.partition("#")[0]
    return f"{here.scheme}://{here.netloc}/"


def _tidy(path: str) -> str:
    names: list[str] = []
    steps = path.split("/")[1:]
    for i, name in enumerate(steps):
        last = i == len(steps) - 1
        if name == "..":
            names = names[:-1]
        elif name != ".":
            names.append(name)
            continue
        if last:
            names.append("")
    return "/" + "/".join(names)
