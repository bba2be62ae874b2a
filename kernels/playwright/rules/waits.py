"""Expected responses: the first response after the start of a wait that matches a URL pattern."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.engines.browser.tabs import ResponseListener
from soundstage.kernels.engines.web_requests.messages import Response

_ESCAPED = frozenset("$^+.*()|\\?{}[]")


def response_listener(context: AppContext) -> ResponseListener:
    """Return a callback that assigns responses of the browser to open waits."""

    def listener(response: Response, method: str) -> None:
        for wait in context.list("response_wait"):
            if "response" not in wait and fits(str(wait.get("url") or ""), response.url):
                got = {"url": response.url, "status": response.status, "body": response.body}
                context.update("response_wait", wait["id"], {"response": got})

    return listener


def start(context: AppContext, name: str, url: Any) -> None:
    """Start a wait; an earlier wait with the same name is dropped."""
    context.delete("response_wait", name)
    context.create("response_wait", {"id": name, "url": url, "since": to_ms(context.now())})


def fits(pattern: str, url: str) -> bool:
    """Return whether a URL matches a pattern: `**` matches anything, `*` a path segment, `{a,b}` either alternative."""
    if pattern == "":
        return True
    if "*" not in pattern and "{" not in pattern:
        return urljoin(pattern, pattern) == url or (pattern.count("/") == 2 and pattern + "/" == url)
    return re.fullmatch(_regex(pattern), url, re.S) is not None


def _regex(glob: str) -> str:
    made, group, i = "", False, 0
    while i < len(glob):
        c = glob[i]
        if c == "\\" and i + 1 < len(glob):
            i += 1
            made += re.escape(glob[i])
        elif c == "*":
            stars = 1
            while i + 1 < len(glob) and glob[i + 1] == "*":
                stars += 1
                i += 1
            made += ".*" if stars > 1 else "[^/]*"
        elif c == "{":
            group = True
            made += "(?:"
        elif c == "}":
            group = False
            made += ")"
        elif c == "," and group:
            made += "|"
        else:
            made += re.escape(c) if c in _ESCAPED else c
        i += 1
    return made if not group else re.escape(glob)
