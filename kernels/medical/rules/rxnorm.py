"""RxNav's drug names. Source: searchRxNormDrugs in src/utils.ts, and RxNorm's naming of branded drugs."""

from __future__ import annotations

import re

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.cache import DAY, Operation, Params
from soundstage.kernels.medical.rules.sources import RXNAV, Sources, Unreachable
from soundstage.kernels.medical.rules.words import mentions

_BRANDED = re.compile(r"[^0-9]*([0-9].*?) \[(.+)\]")


def _search(sources: Sources, params: Params) -> list[Object]:
    """Return concepts whose name or synonym contains the words, grouped by term type."""
    try:
        rows = sources.rows(RXNAV, "rxnorm")
    except Unreachable:
        return []
    groups: dict[str, list[Object]] = {}
    for row in rows:
        concept = _concept(row)
        if mentions([concept["name"], *concept["synonym"]], params["query"]):
            groups.setdefault(concept["tty"], []).append(concept)
    return [concept for group in groups.values() for concept in group]


def _concept(row: Object) -> Object:
    synonym = row.get("synonym", _short_name(row))
    return {
        "rxcui": row["rxcui"],
        "name": row.get("name", ""),
        "synonym": synonym if isinstance(synonym, list) else [synonym] if synonym else [],
        "tty": row.get("tty", ""),
        "language": row.get("language", "ENG"),
        "suppress": "N",
        "umlscui": [],
    }


def _short_name(row: Object) -> str:
    """Return RxNorm's synonym of a branded drug: `Brand 10 MG Oral Tablet` for `substance 10 MG Oral Tablet [Brand]`."""
    branded = _BRANDED.fullmatch(row.get("name", "")) if row.get("tty") == "SBD" else None
    return f"{branded[2]} {branded[1]}" if branded else ""


SEARCH = Operation("RxNorm", "search-drug-nomenclature", 30 * DAY, _search)
