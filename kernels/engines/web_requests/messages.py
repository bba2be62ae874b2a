"""A request and its answer, as browsers and API clients see them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import parse_qsl, quote, urljoin, urlsplit, urlunsplit

Failure = Literal["unknown_host", "refused", "too_many_redirects"]


class NetworkError(Exception):
    """Nothing answered. `host` and `port` are whom it was asked."""

    def __init__(self, failure: Failure, host: str, port: int) -> None:
        super().__init__(f"{failure} {host}:{port}")
        self.failure: Failure = failure
        self.host = host
        self.port = port


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent: `body` as text; header names in lower case. `cookies` says whether a browser sends it, which has some."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    cookies: bool = False

    @property
    def scheme(self) -> str:
        return urlsplit(self.url).scheme

    @property
    def host(self) -> str:
        """The name with its port, where it has one of its own."""
        return urlsplit(self.url).netloc.rpartition("@")[2].lower()

    @property
    def path(self) -> str:
        return urlsplit(self.url).path or "/"

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.url).query, keep_blank_values=True))

    @property
    def plain(self) -> str:
        """The address without query and fragment."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", "", ""))

    @property
    def is_json(self) -> bool:
        kind = self.headers.get("content-type", "")
        return "json" in kind or "application/json" in self.headers.get("accept", "")

    @property
    def sent(self) -> Any:
        """What the body says: JSON as it is, a form as its fields, anything else as its text; None without one."""
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
        """What a form sent, or a JSON object, or the query."""
        sent = self.sent
        given = sent if isinstance(sent, dict) else self.query
        return {
            str(name): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in given.items()
        }

    def to(self, url: str, *, keep: bool) -> Request:
        """The request that follows a redirect; without `keep` it becomes a GET."""
        goal = urljoin(self.url, url)
        return replace(self, url=goal) if keep else replace(self, url=goal, method="GET", body=None)


@dataclass(frozen=True, slots=True)
class Response:
    """What is answered; `url` is where it came from in the end. `data` is the body where it is no text."""

    status: int
    body: str
    url: str
    content_type: str = "text/html; charset=utf-8"
    location: str | None = None
    data: bytes | None = None

    @property
    def reason(self) -> str:
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return ""

    @property
    def headers(self) -> dict[str, str]:
        told = {"content-type": self.content_type}
        return told if self.location is None else {**told, "location": self.location}

    @property
    def is_html(self) -> bool:
        return "html" in self.content_type


def filled_path(template: str, values: dict[str, str]) -> str:
    """A redirect's goal with `{field}` filled in."""
    for name, value in values.items():
        template = template.replace("{" + name + "}", quote(value, safe=""))
    return template
