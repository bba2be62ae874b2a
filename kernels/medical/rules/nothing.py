"""The sentences of empty results, which the tools also return if a source fails."""

from __future__ import annotations

from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.types import Arguments

_SENTENCES = {
    "search-drugs": (
        'No drugs found for "{query}". This medication may not be in the FDA database, or the name may be misspelled. Please '
        "verify the drug name and try again."
    ),
    "get-drug-details": "No drug found with NDC: {ndc}",
    "search-pediatric-drugs": (
        'No pediatric drugs found for "{query}". This may indicate the drug is not approved for pediatric use or lacks pediatric '
        "labeling information."
    ),
    "get-health-statistics": 'No health indicators found for "{indicator}"{in_country}. Try a different search term.',
    "get-child-health-statistics": 'No child health indicators found for "{indicator}"{in_country}. Try a different search term.',
    "search-medical-literature": 'No medical articles found for "{query}". Try different search terms or check the spelling.',
    "get-article-details": "No article found with PMID: {pmid}",
    "search-pediatric-literature": 'No pediatric journal articles found for "{query}". Try a different search term.',
    "search-drug-nomenclature": 'No drugs found in RxNorm database for "{query}". Try a different search term.',
    "search-google-scholar": (
        'No academic articles found for "{query}". This could be due to no results matching your query, rate limiting, or '
        "network issues."
    ),
    "search-medical-journals": (
        'No articles found for "{query}" in top medical journals. This could be due to no results matching your query, '
        "journal-specific search limitations, or network connectivity issues."
    ),
    "search-medical-databases": (
        'No medical articles found for "{query}" across any databases. This could be due to no results matching your query, '
        "database API rate limiting, or network connectivity issues."
    ),
    "search-clinical-guidelines": (
        'No clinical guidelines found for "{query}"{from_organization}. Try a different search term or check if the condition '
        "has established guidelines."
    ),
    "search-aap-guidelines": 'No AAP guidelines found for "{query}". Try a different search term.',
}
_OF_A_SITE = {
    "bright-futures": 'No Bright Futures guidelines found for "{query}". Try a different search term.',
    "aap-policy": 'No AAP policy statements found for "{query}". Try a different search term.',
    "all": _SENTENCES["search-aap-guidelines"],
}
_WITHOUT_AGE = ("search-medical-literature", "search-drug-nomenclature", "search-google-scholar")


def nothing(tool: str, arguments: Arguments, line: str) -> NothingFound:
    """Return a tool's failure; `line` reports whether the result was cached, which three tools omit."""
    sentence = _OF_A_SITE[arguments["source"]] if tool == "search-pediatric-guidelines" else _SENTENCES[tool]
    country, organization = arguments.get("country"), arguments.get("organization")
    words = sentence.format(
        **arguments,
        in_country=f" in {country}" if country else "",
        from_organization=f" from {organization}" if organization else "",
    )
    return NothingFound(words if tool in _WITHOUT_AGE else words + line)
