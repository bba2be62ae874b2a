"""The data sources of the server, and their delays."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import text
from soundstage.kernels.medical.rules.words import mentions

FDA = "api.fda.gov"
WHO = "ghoapi.azureedge.net"
RXNAV = "rxnav.nlm.nih.gov"
PUBMED = "eutils.ncbi.nlm.nih.gov"
PMC = "www.ncbi.nlm.nih.gov"
SCHOLAR = "scholar.google.com"
COCHRANE = "www.cochranelibrary.com"
TRIALS = "clinicaltrials.gov"
BRIGHT_FUTURES = "brightfutures.aap.org"
AAP = "publications.aap.org"

_STATE_ENTITIES = (
    "drug_label",
    "article",
    "who_indicator",
    "who_value",
    "rxnorm",
    "guideline",
    "scholar_result",
    "cochrane_review",
    "clinical_trial",
)
_MARKS = {
    "drug_label": "openfda",
    "article": "pmid",
    "who_indicator": "IndicatorCode",
    "who_value": "code",
    "rxnorm": "rxcui",
    "guideline": "source",
    "clinical_trial": "protocolSection",
}
"""The member that identifies each source's rows. Reviews have none of them."""
_QUIET_MS = 500  # a page counts as loaded after this time without network traffic


class Unreachable(Exception):
    """The source responds with an error, and the HTTP client throws."""


class Sources:
    """The contents of the sources in this session; `waited_ms` is the server's total waiting time.

    With `as_before`, outages are ignored, because a cached result was found before them. A state that defines the content of
    one source defines that of all: the library is then not used. `then` is the recorded content at the time of a cached result.
    """

    def __init__(self, context: AppContext, *, as_before: bool = False, then: list[Object] | None = None) -> None:
        """Open the sources of a session."""
        self._context = context
        self._then = then
        self._down = set() if as_before else {outage["host"] for outage in context.list("outage")}
        self._from_state = any(context.source(entity) == "own" for entity in _STATE_ENTITIES)
        self.waited_ms = 0

    @property
    def now_year(self) -> int:
        """Return the current year."""
        return self._context.now().year

    @property
    def context(self) -> AppContext:
        """Return the app's context."""
        return self._context

    @property
    def values_name_indicators(self) -> bool:
        """Return whether values may refer to undeclared indicators, as those of a recorded state do."""
        return self._then is not None or self._context.source("who_value") == "own"

    def is_down(self, host: str) -> bool:
        """Return whether a host is down."""
        return host in self._down

    def rows(
        self, host: str, entity: str, where: dict[str, Any] | None = None, limit: int | None = None
    ) -> list[Object]:
        """Return the rows of a host with an API.

        Raises:
            Unreachable: The host is down.
        """
        if host in self._down:
            raise Unreachable(host)
        return self._own(entity, where, limit)

    def _own(self, entity: str, where: dict[str, Any] | None = None, limit: int | None = None) -> list[Object]:
        if self._then is not None:
            rows = [row for row in self._then if _is_of(entity, row)]
            return [row for row in rows if all(row.get(name) == value for name, value in (where or {}).items())][:limit]
        if self._from_state and self._context.source(entity) == "library":
            return []
        return self._context.list(entity, where, limit=limit)

    def on_page(
        self, host: str, entity: str, query: str, fields: tuple[str, ...], where: dict[str, Any] | None = None
    ) -> list[Object]:
        """Return the hits on a results page, which the browser opens after one to three seconds to avoid bot detection.

        An error page has no hits.
        """
        self.pause(1000, 3000)
        return [] if host in self._down else self.mentioning(entity, query, fields, where)

    def mentioning(
        self, entity: str, query: str, fields: tuple[str, ...], where: dict[str, Any] | None = None
    ) -> list[Object]:
        """Return the rows that contain every word of a query in these fields."""
        rows = self._own(entity, where)
        return [row for row in rows if mentions([text(row.get(field) or "") for field in fields], query)]

    def pause(self, least_ms: int, most_ms: int, further_ms: int = 0) -> None:
        """Wait as the server does before and while a page loads. Pages load in parallel."""
        waited = self._context.random.randint(least_ms, most_ms) + _QUIET_MS + further_ms
        self.waited_ms = max(self.waited_ms, waited)


def _is_of(entity: str, row: Object) -> bool:
    """Return whether a row belongs to an entity."""
    marks = [of for of, mark in _MARKS.items() if mark in row]
    return entity in marks if marks else entity == "cochrane_review"
