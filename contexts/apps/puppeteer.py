"""A browser controlled by the Puppeteer server. It has no accounts: its pages belong to the session."""

from __future__ import annotations

from soundstage.contexts.engine.browsing import MEANING as MEANING
from soundstage.contexts.engine.browsing import browsing
from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("puppeteer", library=True, web=True)
browsing(TABLES)
