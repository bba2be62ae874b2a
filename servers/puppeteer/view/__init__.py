"""The view of Puppeteer's browser."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.browser.view import place_in_browser as place
from soundstage.servers.browser.view import screenshot as picture
from soundstage.servers.browser.view import show_browser
from soundstage.servers.view import Query, View

__all__ = ["LONG", "picture", "place", "show"]

LONG = True


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the browser (`show_browser`)."""
    return show_browser(context, query)
