"""Clinical guidelines among PubMed's articles: two searches, a score, and the issuing organization.

Source: searchClinicalGuidelines, calculateGuidelineScore and extractOrganization in src/utils.ts, and src/constants.ts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import utf16_slice
from soundstage.kernels.medical.rules.cache import DAY, Operation, Params
from soundstage.kernels.medical.rules.pubmed import articles
from soundstage.kernels.medical.rules.sources import Sources, Unreachable

T = TypeVar("T")

_TYPES = (
    "practice guideline",
    "guideline",
    "consensus development conference",
    "consensus development conference, nih",
    "technical report",
)
_KEYWORDS = (
    "guideline",
    "recommendation",
    "consensus",
    "position statement",
    "standard of care",
    "best practice",
    "evidence-based",
    "expert consensus",
)
_KNOWN_JOURNALS = (
    "journal of the american",
    "new england journal",
    "lancet",
    "bmj",
    "annals of",
    "guidelines",
    "recommendations",
)
# The patterns ignore case, so "who" is the World Health Organization.
_ORGANIZATIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(American|European|National|International|World|Global).*?"
        r"(Association|College|Society|Academy|Institute|Foundation|Organization|Committee|Ministry)",
        r"World Health Organization|WHO",
        r"Centers for Disease Control|CDC",
        r"National Institutes of Health|NIH",
    )
)
_SHORT_NAMES = {
    "aap": ("american academy of pediatrics", "american academy pediatric"),
    "who": ("world health organization",),
    "cdc": ("centers for disease control",),
    "aha": ("american heart association",),
    "acc": ("american college of cardiology",),
    "ada": ("american diabetes association",),
    "acp": ("american college of physicians",),
}
_LEAST = 2.5
_ASKED_OF_PUBMED, _ENOUGH, _MOST = 20, 5, 15
_SIGNS = re.compile(r"[^\w\s]", re.ASCII)


def _search(sources: Sources, params: Params) -> list[Object]:
    """Return guidelines, best first. Articles without a guideline type are searched only if there are few results."""
    query, organization = params["query"], params.get("organization")
    try:
        types = " OR ".join(f'"{type_}"[pt]' for type_ in _TYPES)
        candidates = {a["pmid"]: (a, 2.0) for a in articles(sources, f"({query}) AND ({types})", _ASKED_OF_PUBMED)}
        if len(candidates) < _ENOUGH:
            keywords = " OR ".join(f"{keyword}[tiab]" for keyword in _KEYWORDS[:5])
            for article in articles(sources, f"({query}) AND ({keywords})", _ASKED_OF_PUBMED):
                candidates.setdefault(article["pmid"], (article, 0.0))
    except Unreachable:
        return []
    scored = []
    for article, by_type in candidates.values():
        giver = _organization(article)
        score = by_type + _score(article)
        if score >= _LEAST and (not organization or _is_of(article, giver, organization)):
            scored.append((score, _guideline(article, giver)))
    scored = without_doubles(scored, lambda one: one[1]["title"])
    scored.sort(key=lambda one: one[0], reverse=True)
    return [guideline for _, guideline in scored[:_MOST]]


def without_doubles(results: Iterable[T], title: Callable[[T], str]) -> list[T]:
    """Return the first item per title, ignoring punctuation and case."""
    first: dict[str, T] = {}
    for one in results:
        first.setdefault(_SIGNS.sub("", title(one).lower()), one)
    return list(first.values())


def _score(article: Object) -> float:
    title, abstract, journal = (article[name].lower() for name in ("title", "abstract", "journal"))
    in_title = any(keyword in title for keyword in _KEYWORDS)
    in_abstract = min(sum(keyword in abstract for keyword in _KEYWORDS), 2) * 0.5
    known = any(name in journal for name in _KNOWN_JOURNALS)
    return in_title + in_abstract + known + 1  # 1 for the organization, which is at least a journal


def _organization(article: Object) -> str:
    """Return the first organization's name in the abstract, or the journal."""
    names = (pattern.search(article["abstract"]) for pattern in _ORGANIZATIONS)
    return next((name[0] for name in names if name), article["journal"])


def _is_of(article: Object, giver: str, organization: str) -> bool:
    requested = organization.lower()
    texts = [text.lower() for text in (giver, article["title"], article["abstract"])]
    if any(requested in text for text in (*texts, article["journal"].lower())):
        return True
    return any(name in text for name in _SHORT_NAMES.get(requested, ()) for text in texts)


def _guideline(article: Object, giver: str) -> dict[str, Any]:
    title, abstract = article["title"].lower(), article["abstract"].lower()
    year = re.search(r"[0-9]{4}", article["publication_date"])
    return {
        "title": article["title"],
        "organization": giver,
        "year": year[0] if year else "Unknown",
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{article['pmid']}/",
        "description": utf16_slice(article["abstract"], 0, 200) + "...",
        "category": _category(title, abstract),
        "evidence_level": _evidence(title, abstract),
    }


def _category(title: str, abstract: str) -> str:
    if "cardiology" in title or "cardiac" in abstract or "heart" in abstract:
        return "Cardiology"
    if "oncology" in title or "cancer" in abstract or "tumor" in abstract:
        return "Oncology"
    both = f"{title}\n{abstract}"
    if "diabetes" in both:
        return "Endocrinology"
    if "pediatric" in both or "children" in abstract:
        return "Pediatrics"
    if "mental" in both or "psychiatric" in abstract:
        return "Psychiatry"
    return "General"


def _evidence(title: str, abstract: str) -> str:
    both = f"{title}\n{abstract}"
    if "meta-analysis" in both:
        return "Meta-analysis"
    return "Systematic Review" if "systematic review" in both else "Systematic Review/Consensus"


SEARCH = Operation("ClinicalGuidelines", "search-clinical-guidelines", 7 * DAY, _search)
