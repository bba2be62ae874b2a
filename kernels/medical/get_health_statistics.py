"""The `get_health_statistics` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.categories import EXPLANATIONS, category_of
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import shown
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.who import STATISTICS, span
from soundstage.kernels.types import Arguments

_YEAR = re.compile(r"\s*([+-]?[0-9]+)")


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Show values of health indicators by category."""
    indicator, country, limit = arguments["indicator"], arguments.get("country"), arguments["limit"]
    outcome = remembered(context, STATISTICS, {"indicator": indicator, "country": country, "limit": limit})
    if not outcome.data:
        return nothing("get-health-statistics", arguments, outcome.line)
    by_category: dict[str, list[Object]] = {}
    for value in outcome.data:
        by_category.setdefault(category_of(value.get("IndicatorName", "")), []).append(value)
    result = f"**Health Statistics: {indicator}**\n\n" + (f"Country Filter: {country}\n" if country else "")
    result += f"Found {len(outcome.data)} data point(s) across {len(by_category)} category/categories\n\n"
    number = 0
    for category, explanation in EXPLANATIONS.items():
        if category not in by_category:
            continue
        result += f"## {category}\n\n" + (f"*{explanation}*\n\n" if explanation else "")
        for value in sorted(by_category[category], key=_newest_and_largest)[:limit]:
            number += 1
            result += f"{number}. {_entry(value)}"
    return result + outcome.line


def _newest_and_largest(value: Object) -> tuple[int, float]:
    year = _YEAR.match(str(value.get("TimeDim", "")))
    return -int(year[1]) if year else 0, -(value.get("NumericValue") or 0)


def _entry(value: Object) -> str:
    comments = value.get("Comments")
    return (
        f"**{shown(value, 'IndicatorName')}**\n"
        f"   Country: {shown(value, 'SpatialDim')}\n"
        f"   Value: **{shown(value, 'Value')}**\n"
        + (f"   Context: {comments}\n" if comments and comments != "No additional context" else "")
        + span(value)
        + f"   Year: {shown(value, 'TimeDim')}\n   Indicator Code: {shown(value, 'IndicatorCode')}\n\n"
    )
