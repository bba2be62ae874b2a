"""The `search_pediatric_drugs` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import utf16_slice
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.fda import PEDIATRIC_DRUGS, first_of
from soundstage.kernels.medical.rules.layout import shown, warnings
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.types import Arguments

_ABOUT_CHILDREN = re.compile(r"(?:pediatric|child|infant|neonatal)[^.]*(?:\.|\Z)", re.IGNORECASE)
_LONGEST = 200


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search drugs whose labels mention children."""
    query = arguments["query"]
    result = remembered(context, PEDIATRIC_DRUGS, {"query": query, "limit": arguments["limit"]})
    if not result.data:
        return nothing("search-pediatric-drugs", arguments, result.line)
    entries = "".join(f"{number}. {_entry(label, number)}" for number, label in enumerate(result.data, start=1))
    return (
        f'**Pediatric Drug Search: "{query}"**\n\nFound {len(result.data)} drug(s) with pediatric labeling\n\n{entries}'
        + warnings("Pediatric drug information is retrieved dynamically from FDA database.\n")
        + result.line
    )


def _entry(label: Object, number: int) -> str:
    purpose = label.get("purpose")
    return (
        f"{_name(label, number)}\n"
        + (f"   Purpose: {', '.join(purpose)}\n" if purpose else "")
        + _passage("Pediatric Dosing", label.get("dosage_and_administration"))
        + _passage("Pediatric Warnings", label.get("warnings"))
        + f"   Effective Time: {shown(label, 'effective_time')}\n\n"
    )


def _name(label: Object, number: int) -> str:
    openfda = label.get("openfda") or {}
    brand, generic = first_of(label, "brand_name"), first_of(label, "generic_name")
    if openfda.get("brand_name"):
        return f"**{brand}**" + (f" ({generic})" if openfda.get("generic_name") else "")
    return f"**{generic}**" if openfda.get("generic_name") else f"**Drug {number}**"


def _passage(heading: str, section: list[str] | None) -> str:
    """Return the text from the first mention of children to the full stop, always followed by an ellipsis."""
    passage = _ABOUT_CHILDREN.search(" ".join(section or []))
    return f"   {heading}: {utf16_slice(passage[0], 0, _LONGEST)}...\n" if passage else ""
