"""Pages generated from the other realms with templates: places, companies, documentation, medicine.

Each module receives the rows of its realm and returns sites and pages; without the realm it returns none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web.derived import docs, market, medicine, places
from soundstage.worlds.library.web.written import Page, Site

_REALMS = (places.pages, market.pages, docs.pages, medicine.pages)


def derived(facts: Mapping[tuple[str, str], Sequence[Object]]) -> tuple[list[Site], list[Page]]:
    """The sites and pages that come from facts."""
    derived_sites = [tell(facts) for tell in _REALMS]
    return [site for sites, _ in derived_sites for site in sites], [
        page for _, pages in derived_sites for page in pages
    ]
