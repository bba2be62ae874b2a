"""The `get_child_health_statistics` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import numbered, shown, warnings
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.who import CHILD_STATISTICS, span
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Show values of health indicators about children; titles are `undefined`, because values lack the indicator's name."""
    indicator, country = arguments["indicator"], arguments.get("country")
    parameters = {"indicator": indicator, "country": country, "limit": arguments["limit"]}
    result = remembered(context, CHILD_STATISTICS, parameters)
    if not result.data:
        return nothing("get-child-health-statistics", arguments, result.line)
    return (
        f"**Child Health Statistics: {indicator}**\n\n"
        + (f"Country Filter: {country}\n" if country else "")
        + f"Found {len(result.data)} indicator(s)\n\n{numbered(map(_entry, result.data))}"
        + warnings("Child health statistics are retrieved dynamically from WHO Global Health Observatory.\n")
        + result.line
    )


def _entry(value: Object) -> str:
    comments = value.get("Comments")
    return (
        f"**{shown(value, 'IndicatorName')}**\n"
        f"   Country: {shown(value, 'SpatialDim')}\n"
        f"   Value: **{shown(value, 'Value')}**\n"
        + (f"   Age Group: {value['AgeGroup']}\n" if value.get("AgeGroup") else "")
        + (f"   Context: {comments}\n" if comments and comments != "No additional context" else "")
        + span(value)
        + f"   Year: {shown(value, 'TimeDim')}\n   Indicator Code: {shown(value, 'IndicatorCode')}\n\n"
    )
