"""All cached operations of the server, by name."""

from __future__ import annotations

from soundstage.kernels.medical.rules import fda, guidelines, pages, pubmed, rxnorm, who

OPERATIONS = {
    operation.name: operation
    for operation in (
        fda.SEARCH_DRUGS,
        fda.DRUG_DETAILS,
        fda.PEDIATRIC_DRUGS,
        who.STATISTICS,
        who.CHILD_STATISTICS,
        pubmed.SEARCH,
        pubmed.DETAILS,
        pubmed.PEDIATRIC_SEARCH,
        rxnorm.SEARCH,
        guidelines.SEARCH,
        pages.BRIGHT_FUTURES_SEARCH,
        pages.POLICY_SEARCH,
        pages.AAP_SEARCH,
        pages.SCHOLAR_SEARCH,
        pages.JOURNAL_SEARCH,
        pages.DATABASE_SEARCH,
    )
}
