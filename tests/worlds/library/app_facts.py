"""Facts as the apps report them: tools of a session by name, pages read by each app that reads the web, and their comparison.

A fact is the content of the library under a key, as named values in one neutral form: points as (lng, lat), lengths in
metres, times in seconds, hours as "09:00-22:00", telephones as digits. The replies of an app are converted to that form by
the rule of its page in docs/apps, and contain only the values that the app has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.library import Library
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.engines.places.atlas import Atlas
from soundstage.servers.catalogue import load_app

Values = Mapping[str, Any]

_WORD = re.compile(r"[^\W_]+")
_RESULT = "Execution result:\n"


@dataclass(frozen=True)
class Asking:
    """A session whose tools are called as by an agent."""

    session: Session
    moment: datetime
    """The time of the session, on which facts of a day depend."""
    read: dict[str, dict[str, str]] = field(default_factory=dict)
    """The pages that were read, by address."""

    @property
    def library(self) -> Library:
        return self.session.context.app("amap").library

    @property
    def atlas(self) -> Atlas:
        return self.library.cached("places.atlas", Atlas)

    def text(self, app: str, tool: str, **arguments: Any) -> str:
        """Return the text of a reply."""
        reply = dispatch(self.session, load_app(app), tool, arguments).reply
        assert reply is not None
        return "\n".join(block["text"] for block in reply["content"] if block["type"] == "text")

    def json(self, app: str, tool: str, **arguments: Any) -> Any:
        """Return the JSON of a reply."""
        text = self.text(app, tool, **arguments)
        try:
            return json.loads(text)
        except ValueError:
            raise AssertionError(f"{app} {tool} {arguments} answered {text!r}") from None

    def page(self, url: str) -> dict[str, str]:
        """Return a page's text by the app that reads it, cached."""
        if url not in self.read:
            self.read[url] = self._page(url)
        return self.read[url]

    def _page(self, url: str) -> dict[str, str]:
        read = self.json("google_search", "read_webpage", url=url)
        self.text("playwright", "playwright_navigate", url=url)
        self.text("puppeteer", "puppeteer_navigate", url=url)
        evaluated = self.text("puppeteer", "puppeteer_evaluate", script="document.body.innerText")
        return {
            "google_search": f"{read['title']} {read['text']}",
            "tavily": self.text("tavily", "tavily-extract", urls=[url]),
            "firecrawl": self.text("firecrawl", "firecrawl_scrape", url=url, formats=["markdown"]),
            "playwright": self.text("playwright", "playwright_get_visible_text"),
            "puppeteer": str(json.JSONDecoder().raw_decode(evaluated.removeprefix(_RESULT))[0]),
        }


def words(text: str) -> str:
    """Return only the letters and digits of a text, because every app adds other marks and blanks."""
    return "".join(_WORD.findall(text.casefold()))


def says(text: str, expected: str) -> str | None:
    """Return `expected` if the text contains it."""
    return expected if words(expected) in words(text) else None


@dataclass(frozen=True)
class Fact:
    """The content of the library under a key, and the values that apps report, by the names of the apps."""

    key: str
    holds: Values
    reported: Mapping[str, Values]

    def mistakes(self) -> list[str]:
        """Return where an app reports other values than the library, or none."""
        differences = [f"{self.key}: {app} tells nothing" for app, values in self.reported.items() if not values]
        for app, values in self.reported.items():
            differences += [
                f"{self.key}: {app} tells {name} {value!r}, the library holds {self.holds[name]!r}"
                for name, value in values.items()
                if value != self.holds[name]
            ]
        return differences
