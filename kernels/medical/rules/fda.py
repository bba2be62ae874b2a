"""openFDA's drug labels and the server's queries.

Source: searchDrugs, getDrugByNDC and searchPediatricDrugs in src/utils.ts. openFDA matches a quoted phrase as consecutive whole
words, ignoring case.
"""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import SPACES, utf16_length
from soundstage.kernels.medical.rules.cache import DAY, Operation, Params
from soundstage.kernels.medical.rules.sources import FDA, Sources, Unreachable
from soundstage.kernels.medical.rules.words import has_phrase, query_words

_GENERIC = frozenset(("medication", "medicine", "drug", "pill", "tablet", "capsule", "injection", "dose", "dosage"))
_FIELDS = ("brand_name", "generic_name", "substance_name")
_CODE = re.compile(r"[a-z]+-[0-9]+")
_THREE_DIGITS = re.compile(r"[0-9]{3}")


def search_drugs(sources: Sources, query: str, limit: int) -> list[Object]:
    """Return labels by brand, generic name, substance, then words of the brand, each NDC once; empty if a search fails."""
    if not _may_be_a_drug(query):
        return []
    try:
        labels = sources.rows(FDA, "drug_label")
    except Unreachable:
        return []
    result: dict[str, Object] = {}
    for hits in ([label for label in labels if _matches(label, query, way)][:limit] for way in range(len(_FIELDS) + 1)):
        for label in hits:
            ndc = _values(label, "product_ndc")[:1]
            if ndc and ndc[0]:
                result.setdefault(ndc[0], label)
    return [_summary(label) for label in result.values()][:limit]


def _matches(label: Object, query: str, way: int) -> bool:
    if way < len(_FIELDS):
        return any(has_phrase(value, query) for value in _values(label, _FIELDS[way]))
    words = query_words(query)
    return bool(words) and any(all(has_phrase(value, word) for word in words) for value in _values(label, "brand_name"))


def _may_be_a_drug(query: str) -> bool:
    trimmed = query.strip(SPACES)
    if trimmed.lower() in _GENERIC or utf16_length(trimmed) < 3:
        return False
    if _CODE.fullmatch(trimmed.lower()) or _THREE_DIGITS.search(trimmed):
        return utf16_length(trimmed) >= 5
    return True


def _drugs(sources: Sources, params: Params) -> list[Object]:
    return search_drugs(sources, params["query"], params["limit"])


def _details(sources: Sources, params: Params) -> Object | None:
    try:
        labels = sources.rows(FDA, "drug_label")
    except Unreachable:
        return None
    ndc = params["ndc"].lower()
    return next((_summary(label) for label in labels if ndc in map(str.lower, _values(label, "product_ndc"))), None)


def _pediatric(sources: Sources, params: Params) -> list[Object]:
    """Return labels that mention children in purpose, warnings or dosage, from twice the requested number."""
    labels = search_drugs(sources, params["query"], params["limit"] * 2)
    return [label for label in labels if _is_pediatric(label)][: params["limit"]]


def _is_pediatric(label: Object) -> bool:
    purpose, warnings, dosage = (
        " ".join(label.get(section) or []).lower() for section in ("purpose", "warnings", "dosage_and_administration")
    )
    return any(word in purpose for word in ("pediatric", "child", "infant", "neonatal")) or any(
        word in text for word in ("pediatric", "child") for text in (warnings, dosage)
    )


def first_of(label: Object, field: str) -> str:
    """Return the first of openFDA's values of a field, or ""."""
    return str((_values(label, field) or [""])[0])


def _values(label: Object, field: str) -> list[Any]:
    return (label.get("openfda") or {}).get(field) or []


def _summary(label: Object) -> Object:
    """Return a label in openFDA's format."""
    return {name: value for name, value in label.items() if name != "record_id"}


SEARCH_DRUGS = Operation("FDA", "search-drugs", DAY, _drugs)
DRUG_DETAILS = Operation("FDA", "get-drug-details", DAY, _details)
PEDIATRIC_DRUGS = Operation("PediatricDrugs", "search-pediatric-drugs", DAY, _pediatric)
