"""The places that the server asks, and what asking them takes."""

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

_TOLD = (
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
"""What tells the sources' rows apart. A review has none of it."""
_QUIET_MS = 500  # a page counts as loaded when its network has been still for so long


class Unreachable(Exception):
    """The source answers with an error, at which the HTTP client throws."""


class Sources:
    """What the sources hold in this session; `waited_ms` is how long the server has waited for them, all at once.

    With `as_before`, outages are passed over: so it was when something was found that is remembered. A state that says what one
    of them holds says what all hold: those that it leaves out hold nothing, and not what is in the library. `then` is what they
    held when something was found that a state has as it was.
    """

    def __init__(self, context: AppContext, *, as_before: bool = False, then: list[Object] | None = None) -> None:
        self._context = context
        self._then = then
        self._down = set() if as_before else {outage["host"] for outage in context.list("outage")}
        self._told = any(context.source(entity) == "own" for entity in _TOLD)
        self.waited_ms = 0

    @property
    def now_year(self) -> int:
        return self._context.now().year

    @property
    def context(self) -> AppContext:
        return self._context

    @property
    def values_name_indicators(self) -> bool:
        """Whether values tell of indicators that are not declared: those of a state do."""
        return self._then is not None or self._context.source("who_value") == "own"

    def is_down(self, host: str) -> bool:
        return host in self._down

    def rows(
        self, host: str, entity: str, where: dict[str, Any] | None = None, limit: int | None = None
    ) -> list[Object]:
        """What a host with an interface for programs holds.

        Raises:
            Unreachable: it is out.
        """
        if host in self._down:
            raise Unreachable(host)
        return self._held(entity, where, limit)

    def _held(self, entity: str, where: dict[str, Any] | None = None, limit: int | None = None) -> list[Object]:
        if self._then is not None:
            rows = [row for row in self._then if _is_of(entity, row)]
            return [row for row in rows if all(row.get(name) == value for name, value in (where or {}).items())][:limit]
        if self._told and self._context.source(entity) == "library":
            return []
        return self._context.list(entity, where, limit=limit)

    def on_page(
        self, host: str, entity: str, query: str, fields: tuple[str, ...], where: dict[str, Any] | None = None
    ) -> list[Object]:
        """The hits on a page of results that a browser reads, after a pause of one to three seconds so as not to be noticed.

        A page that tells of an error has no hits.
        """
        self.pause(1000, 3000)
        return [] if host in self._down else self.mentioning(entity, query, fields, where)

    def mentioning(
        self, entity: str, query: str, fields: tuple[str, ...], where: dict[str, Any] | None = None
    ) -> list[Object]:
        """What is held that has every word of a query in these fields."""
        rows = self._held(entity, where)
        return [row for row in rows if mentions([text(row.get(field) or "") for field in fields], query)]

    def pause(self, least_ms: int, most_ms: int, further_ms: int = 0) -> None:
        """Wait as long as the server does before a page, and until it is there. Pages are read side by side."""
        waited = self._context.random.randint(least_ms, most_ms) + _QUIET_MS + further_ms
        self.waited_ms = max(self.waited_ms, waited)


def _is_of(entity: str, row: Object) -> bool:
    """Whether a row is one of an entity's."""
    marks = [of for of, mark in _MARKS.items() if mark in row]
    return entity in marks if marks else entity == "cochrane_review"
