"""Web pages that the server reads with a browser, and searches that combine several sources.

Source: searchBrightFuturesGuidelines, searchAAPPolicyStatements, searchAAPGuidelines, searchGoogleScholar,
searchMedicalJournals, searchMedicalDatabases, searchCochraneLibrary and searchClinicalTrials in src/utils.ts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import SPACES, UNDEFINED, text, utf16_length, utf16_slice
from soundstage.kernels.medical.rules.cache import DAY, HOUR, Operation, Params
from soundstage.kernels.medical.rules.duplicates import unique
from soundstage.kernels.medical.rules.guidelines import without_doubles
from soundstage.kernels.medical.rules.pubmed import articles_with_texts
from soundstage.kernels.medical.rules.sources import (
    AAP,
    BRIGHT_FUTURES,
    COCHRANE,
    SCHOLAR,
    TRIALS,
    Sources,
    Unreachable,
)
from soundstage.kernels.medical.rules.words import mentions

_SHORTEST_TITLE = 10
_LONGEST_DESCRIPTION = 300
_PATIENCE_WITH_SCHOLAR_MS = 30_000  # timeouts of two selectors, one after the other
_MOST_TRIALS, _MOST_PUBMED, _MOST = 10, 5, 20
_AGES = re.compile(
    r"\d+\s*(?:-|\s*to\s*)\s*\d+\s*(?:months?|years?|days?)|infant|toddler|preschool|school-age|adolescent",
    re.ASCII | re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b", re.ASCII)


def _bright_futures(sources: Sources, params: Params) -> list[Object]:
    results = []
    for title, hit in _guidelines(sources, BRIGHT_FUTURES, "bright-futures", params["query"]):
        age = _AGES.search(title)
        hit |= {"age_group": age[0] if age else "", "category": "Preventive Care", "source": "bright-futures"}
        results.append(hit)
    return results


def _policies(sources: Sources, params: Params) -> list[Object]:
    results = []
    for title, hit in _guidelines(sources, AAP, "aap-policy", params["query"]):
        year = _YEAR.search(title)
        hit |= {"year": year[0] if year else "", "category": "Policy Statement", "source": "aap-policy"}
        results.append(hit)
    return results


def _both(sources: Sources, params: Params) -> list[Object]:
    results = [*_bright_futures(sources, params), *_policies(sources, params)]
    return without_doubles(results, lambda guideline: guideline["title"])


def _guidelines(sources: Sources, host: str, source: str, query: str) -> Iterator[tuple[str, Object]]:
    for row in sources.on_page(host, "guideline", query, ("title", "description"), {"source": source}):
        title = _trimmed(row, "title")
        if utf16_length(title) > _SHORTEST_TITLE:
            yield (
                title,
                {
                    "title": title,
                    "organization": "American Academy of Pediatrics",
                    "url": _address(row, host),
                    "description": utf16_slice(_trimmed(row, "description"), 0, _LONGEST_DESCRIPTION),
                },
            )


def _scholar(sources: Sources, params: Params) -> list[Object]:
    """Return nothing: for each hit, the script in the page calls a function that only the server defines.

    Without hits, the server waits for them until a timeout.
    """
    hits = sources.mentioning("scholar_result", params["query"], ("title", "snippet", "authors"))
    is_empty = sources.is_down(SCHOLAR) or not hits
    sources.pause(2000, 5000, _PATIENCE_WITH_SCHOLAR_MS if is_empty else 0)
    return []


def _journals(sources: Sources, params: Params) -> list[Object]:
    for journal in ("NEJM", "JAMA", "Lancet", "BMJ", "Nature Medicine"):
        _scholar(sources, {"query": f'"{journal}" {params["query"]}'})
    return []


def _databases(sources: Sources, params: Params) -> list[Object]:
    """Return results of PubMed, Cochrane and trials without duplicates."""
    query = params["query"]
    results = [_of_pubmed(article) for article in articles_with_texts(sources, query, _MOST_PUBMED)]
    results += [*_scholar(sources, params), *_reviews(sources, query), *_trials(sources, query)]
    return unique(results, sources.now_year)[:_MOST]


def _of_pubmed(article: Object) -> Object:
    doi = {"doi": article["doi"]} if "doi" in article else {}
    return {
        "title": article["title"],
        "authors": ", ".join(article["authors"]),
        "abstract": article["abstract"],
        "journal": article["journal"],
        "year": article["publication_date"].split("-")[0],
        "citations": "",
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{article['pmid']}/",
        **doi,
    }


def _reviews(sources: Sources, query: str) -> Iterator[Object]:
    for row in sources.on_page(COCHRANE, "cochrane_review", query, ("title", "abstract", "authors")):
        title = _trimmed(row, "title")
        if utf16_length(title) > _SHORTEST_TITLE:
            yield {
                "title": title,
                "authors": _trimmed(row, "authors"),
                "abstract": _trimmed(row, "abstract"),
                "journal": _trimmed(row, "journal") or "Cochrane Database",
                "year": "",
                "citations": "",
                "url": _address(row, COCHRANE),
            }


def _trials(sources: Sources, query: str) -> Iterator[Object]:
    """Yield the first ten trials. The server reads sponsor and summary from the wrong places."""
    try:
        rows = sources.rows(TRIALS, "clinical_trial")
    except Unreachable:
        return
    hits = [row for row in rows if mentions(list(_texts(row.get("protocolSection"))), query)]
    for row in hits[:_MOST_TRIALS]:
        section = row.get("protocolSection") or {}
        named = section.get("identificationModule")
        if named is None:
            continue
        started = section.get("statusModule", {}).get("startDateStruct", {}).get("date")
        yield {
            "title": named.get("briefTitle") or named.get("officialTitle") or "Clinical Trial",
            "authors": named.get("leadSponsor", {}).get("name") or "Clinical Trial",
            "abstract": named.get("briefSummary") or "",
            "journal": "ClinicalTrials.gov",
            "year": started or "",
            "citations": "",
            "url": f"https://clinicaltrials.gov/study/{text(named.get('nctId', UNDEFINED))}",
        }


def _texts(value: Any) -> Iterator[str]:
    """Yield every string in nested values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _trimmed(row: Object, name: str) -> str:
    return text(row.get(name) or "").strip(SPACES)


def _address(row: Object, host: str) -> str:
    """Return the absolute URL of a link on a page of this host."""
    url = row.get("url") or ""
    return url if url.startswith("http") else f"https://{host}{url}"


BRIGHT_FUTURES_SEARCH = Operation("BrightFutures", "search-bright-futures", 30 * DAY, _bright_futures)
POLICY_SEARCH = Operation("AAPPolicy", "search-aap-policy", 7 * DAY, _policies)
AAP_SEARCH = Operation("AAPGuidelines", "search-aap-guidelines", 7 * DAY, _both)
SCHOLAR_SEARCH = Operation("GoogleScholar", "search-google-scholar", HOUR, _scholar)
JOURNAL_SEARCH = Operation("MedicalJournals", "search-medical-journals", HOUR, _journals)
DATABASE_SEARCH = Operation("MedicalDatabases", "search-medical-databases", HOUR, _databases)
