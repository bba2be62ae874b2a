"""PubMed's articles as the server parses them from XML, with full texts of PubMed Central.

Source: searchPubMedArticles, searchPubMed, getPubMedArticleByPMID, parsePubMedXML and fetchFullTextFromPMC in src/utils.ts.
Texts retain XML escapes, and only a DOI in an ELocationID is reported.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import SPACES, utf16_length
from soundstage.kernels.medical.rules.cache import HOUR, Operation, Params
from soundstage.kernels.medical.rules.duplicates import unique
from soundstage.kernels.medical.rules.pubmed_query import query_of
from soundstage.kernels.medical.rules.sources import PMC, PUBMED, Sources, Unreachable

_JOURNALS = (
    "Pediatrics",
    "JAMA Pediatrics",
    "The Journal of Pediatrics",
    "Pediatric Research",
    "Archives of Disease in Childhood",
    "European Journal of Pediatrics",
    "Pediatric Clinics of North America",
)
_WITH_FULL_TEXT = 3  # results of a search that include the full text
_SHORTEST_PARAGRAPH, _SHORTEST_TEXT = 20, 500
_DATE = re.compile(r"(\d{4})(?:[ -]+(\w+))?(?:[ -]+(\w+))?", re.ASCII)
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def articles(sources: Sources, query: str, most: int) -> list[Object]:
    """Return the first articles that match a query.

    Raises:
        Unreachable: PubMed is down.
    """
    return [_summary(row) for row in _hits(sources, query, most)]


def articles_with_texts(sources: Sources, query: str, most: int) -> list[Object]:
    """Return the same without duplicates, the first three with full texts; empty if PubMed is down."""
    try:
        hits = _hits(sources, query, most)
    except Unreachable:
        return []
    results = [_summary(row) for row in hits]
    for article, row in zip(results[:_WITH_FULL_TEXT], hits, strict=False):
        _add_full_text(sources, article, row.get("full_text"))
    return unique(results, sources.now_year)


def _hits(sources: Sources, query: str, most: int) -> list[Object]:
    rows = sources.rows(PUBMED, "article")
    fits = query_of(query, frozenset((row.get("journal") or "").lower() for row in rows))
    hits = [row for row in rows if fits(row)][:most] if fits else []
    return [row for row in hits if _is_number(row["pmid"])]


def _search(sources: Sources, params: Params) -> list[Object]:
    return articles_with_texts(sources, params["query"], params["max_results"])


def _pediatric(sources: Sources, params: Params) -> list[Object]:
    journals = " OR ".join(f'"{journal}"[Journal]' for journal in _JOURNALS)
    return articles_with_texts(sources, f"({params['query']}) AND ({journals})", params["maxResults"])


def _details(sources: Sources, params: Params) -> Object | None:
    """Return the first article with one of the comma-separated ids."""
    try:
        by_number = {row["pmid"]: row for row in sources.rows(PUBMED, "article")}
    except Unreachable:
        return None
    numbers = [number.strip() for number in params["pmid"].split(",")]
    row = next((by_number[number] for number in numbers if number in by_number and _is_number(number)), None)
    if row is None:
        return None
    article = _summary(row)
    _add_full_text(sources, article, row.get("full_text"))
    return article


def _summary(row: Object) -> Object:
    article = {
        "pmid": row["pmid"],
        "title": _in_xml(row.get("title") or "").strip(SPACES) or "No title available",
        "abstract": " ".join(_in_xml(row.get("abstract") or "No abstract available").split()),
        "authors": _authors(row),
        "journal": _in_xml(row.get("journal") or "Journal information not available").strip(SPACES),
        "publication_date": _date(row.get("date") or ""),
        "doi": _in_xml(row.get("elocation_id") or "").strip(SPACES),
        "pmc_id": (row.get("pmc_id") or "").upper().removeprefix("PMC"),
    }
    return {name: value for name, value in article.items() if value or name not in ("doi", "pmc_id")}


def _authors(row: Object) -> list[str]:
    people = (" ".join(name.split()) for name in row.get("authors") or [])
    groups = (name.strip(SPACES) for name in row.get("collective_authors") or [])
    return [_in_xml(name) for name in (*people, *groups) if name]


def _date(date: str) -> str:
    """Return a date in numbers; named months are not recognised, and missing parts are 1."""
    match = _DATE.match(date)
    if match is None:
        return "Date not available"
    year, *rest = match.groups()
    month, day = (part.rjust(2, "0") if part and part.isdigit() and len(part) <= 2 else "01" for part in rest)
    return f"{year}-{month}-{day}"


def _add_full_text(sources: Sources, article: Object, full_text: str | None) -> None:
    """Add the paragraphs of PubMed Central's page unless they are empty or the site is down."""
    if "pmc_id" not in article or sources.is_down(PMC):
        return
    paragraphs = (paragraph.strip(SPACES) for paragraph in (full_text or "").split("\n\n"))
    text = "\n\n".join(p for p in paragraphs if utf16_length(p) > _SHORTEST_PARAGRAPH)
    if utf16_length(text) > _SHORTEST_TEXT:
        article["full_text"] = text


def _in_xml(text: str) -> str:
    return text.translate(_ESCAPES)


def _is_number(pmid: str) -> bool:
    return pmid.isascii() and pmid.isdigit()


SEARCH = Operation("PubMed", "search-medical-literature", HOUR, _search)
DETAILS = Operation("PubMed", "get-article-details", HOUR, _details)
PEDIATRIC_SEARCH = Operation("PediatricJournals", "search-pediatric-journals", HOUR, _pediatric)
