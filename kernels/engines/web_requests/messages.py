"""HTTP requests and responses as browsers and API clients see them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import parse_qsl, quote, urljoin, urlsplit, urlunsplit

Failure = Literal["unknown_host", "refused", "too_many_redirects"]


class NetworkError(Exception):
    """No server answered at `host` and `port`."""

    def __init__(self, failure: Failure, host: str, port: int) -> None:
        """Create an error for a connection attempt."""
        super().__init__(f"{failure} {host}:{port}")
        self.failure: Failure = failure
        self.host = host
        self.port = port


@dataclass(frozen=True, slots=True)
class Request:
    """A request with a text `body` and lower-case header names. `cookies` is true if a browser with cookies sends it."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    cookies: bool = False

    @property
    def scheme(self) -> str:
        """Return the URL's scheme."""
        return urlsplit(self.url).scheme

    @property
    def host(self) -> str:
        """Return the host name, with the port if the URL has one."""
        return urlsplit(self.url).netloc.rpartition("@")[2].lower()

    @property
    def path(self) -> str:
        """Return the URL's path, at least `/`."""
        return urlsplit(self.url).path or "/"

    @property
    def query(self) -> dict[str, str]:
        """Return the query parameters."""
        return dict(parse_qsl(urlsplit(self.url).query, keep_blank_values=True))

    @property
    def plain(self) -> str:
        """Return the URL without query and fragment."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", "", ""))

    @property
    def is_json(self) -> bool:
        """Return whether the request sends or accepts JSON."""
        kind = self.headers.get("content-type", "")
        return "json" in kind or "application/json" in self.headers.get("accept", "")

    @property
    def sent(self) -> Any:
        """Return the parsed body: JSON, form fields or text; None without a body."""
        if self.body is None or self.body == "":
            return None
        if "x-www-form-urlencoded" in self.headers.get("content-type", ""):
            return dict(parse_qsl(self.body, keep_blank_values=True))
        try:
            return json.loads(self.body)
        except ValueError:
            return self.body

    @property
    def fields(self) -> dict[str, str]:
        """Return the submitted fields of a form, a JSON object or the query."""
        sent = self.sent
        given = sent if isinstance(sent, dict) else self.query
        return {
            str(name): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in given.items()
        }

    def to(self, url: str, *, keep: bool) -> Request:
        """Return the request that follows a redirect; without `keep` it becomes a GET."""
        goal = urljoin(self.url, url)
        return replace(self, url=goal) if keep else replace(self, url=goal, method="GET", body=None)


@dataclass(frozen=True, slots=True)
class Response:
    """A response; `url` is the final URL after redirects. `data` holds a binary body."""

    status: int
    body: str
    url: str
    content_type: str = "text/html; charset=utf-8"
    location: str | None = None
    data: bytes | None = None

    @property
    def reason(self) -> str:
        """Return the reason phrase of the status, or "" if it has none."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return ""

    @property
    def headers(self) -> dict[str, str]:
        """Return the response headers."""
        fields = {"content-type": self.content_type}
        return fields if self.location is None else {**fields, "location": self.location}

    @property
    def is_html(self) -> bool:
        """Return whether the body is HTML."""
        return "html" in self.content_type


def filled_path(template: str, values: dict[str, str]) -> str:
    """Fill `{field}` placeholders in a redirect's target."""
    for name, value in values.items():
        template = template.replace("{" + name + "}", quote(value, safe=""))
    return template
