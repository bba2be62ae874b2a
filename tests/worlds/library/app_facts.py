"""Asking the apps: a session's tools by name, one page as each app that sees the web reads it, and a fact as all tell it.

A fact is what the library holds under a key, as named values in one neutral form: points as (lng, lat), lengths in metres, times
in seconds, hours as "09:00-22:00", telephones as figures. What an app tells is brought to that form by the rule of its page in
docs/apps; an app tells the values that it can.
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
    """A session that is asked as an agent would ask it."""

    session: Session
    moment: datetime
    """The time of the session, which the facts of a day hang on."""
    read: dict[str, dict[str, str]] = field(default_factory=dict)
    """The pages that were read, by address."""

    @property
    def library(self) -> Library:
        return self.session.context.app("amap").library

    @property
    def atlas(self) -> Atlas:
        return self.library.cached("places.atlas", Atlas)

    def text(self, app: str, tool: str, **arguments: Any) -> str:
        """The text of a reply."""
        reply = dispatch(self.session, load_app(app), tool, arguments).reply
        assert reply is not None
        return "\n".join(block["text"] for block in reply["content"] if block["type"] == "text")

    def json(self, app: str, tool: str, **arguments: Any) -> Any:
        """The JSON that a reply holds."""
        text = self.text(app, tool, **arguments)
        try:
            return json.loads(text)
        except ValueError:
            raise AssertionError(f"{app} {tool} {arguments} answered {text!r}") from None

    def page(self, url: str) -> dict[str, str]:
        """A page's text by the app that reads it; read once."""
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
    """A text's letters and figures alone: every app has marks and blanks of its own between them."""
    return "".join(_WORD.findall(text.casefold()))


def says(text: str, told: str) -> str | None:
    """What is told, if the text says it."""
    return told if words(told) in words(text) else None


@dataclass(frozen=True)
class Fact:
    """What the library holds under a key, and what apps tell of it, by their names."""

    key: str
    holds: Values
    told: Mapping[str, Values]

    def mistakes(self) -> list[str]:
        """Where an app tells anything else, or nothing."""
        found = [f"{self.key}: {app} tells nothing" for app, told in self.told.items() if not told]
        for app, told in self.told.items():
            found += [
                f"{self.key}: {app} tells {name} {value!r}, the library holds {self.holds[name]!r}"
                for name, value in told.items()
                if value != self.holds[name]
            ]
        return found
