"""A browser as the Puppeteer server drives it. It has no accounts: what is open in it is the session's."""

from __future__ import annotations

from soundstage.contexts.engine.browsing import MEANING as MEANING
from soundstage.contexts.engine.browsing import browsing
from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("puppeteer", library=True, web=True)
browsing(TABLES)
