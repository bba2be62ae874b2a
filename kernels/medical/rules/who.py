"""The Global Health Observatory of the World Health Organization: indicators by a part of their names, and their values.

Source: getHealthIndicators and getChildHealthIndicators in src/utils.ts. The observatory's `contains` and `eq` are
case-sensitive.
"""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.clock import iso, to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import number, text
from soundstage.kernels.medical.rules.cache import DAY, Operation, Params
from soundstage.kernels.medical.rules.sources import WHO, Sources, Unreachable

_MOST_INDICATORS = 3
_MOST_VALUES = 50
_VARIATIONS = {
    "maternal mortality": ("maternal", "mortality", "maternal death"),
    "infant mortality": ("infant", "mortality", "infant death", "child mortality"),
    "life expectancy": ("life expectancy", "expectancy", "life"),
    "mortality rate": ("mortality", "death rate", "mortality rate"),
    "birth rate": ("birth", "fertility", "birth rate"),
    "death rate": ("death", "mortality", "death rate"),
    "population": ("population", "demographics"),
    "health expenditure": ("health", "expenditure", "spending"),
    "immunization": ("immunization", "vaccination", "vaccine"),
    "malnutrition": ("malnutrition", "nutrition", "undernutrition"),
    "diabetes": ("diabetes", "diabetic"),
    "hypertension": ("hypertension", "blood pressure", "high blood pressure"),
    "cancer": ("cancer", "neoplasm", "tumor"),
    "hiv": ("hiv", "aids", "hiv/aids"),
    "tuberculosis": ("tuberculosis", "tb"),
    "malaria": ("malaria",),
    "obesity": ("obesity", "overweight"),
}
_CHILD_TERMS = ("child", "pediatric", "infant", "neonatal", "under-five")
_CHILD_CODES = (*(f"MDG_00000000{number}" for number in range(29, 35)), "WHS4_544", "WHS9_86")
_CHILD_NAMES = (*_CHILD_TERMS, "under 5", "0-18", "0 to 18", "under-5")
_AGES = (
    re.compile(r"\d+\s*(?:-|\s*to\s*)\s*\d+\s*(?:months?|years?|days?)", re.ASCII | re.IGNORECASE),
    re.compile(r"infant|toddler|preschool|school-age|adolescent", re.IGNORECASE),
    re.compile(r"under-five|under 5", re.IGNORECASE),
    re.compile(r"neonatal|newborn", re.IGNORECASE),
)


class _Malformed(Exception):
    """An OData filter is malformed: a quote ends the string too early."""


def _statistics(sources: Sources, params: Params) -> list[Object]:
    """Return the values of the first three matching indicators; an unreadable one yields an entry without a value."""
    requested = params["indicator"]
    try:
        indicators = _named(sources, _literal(requested))
        for variation in _variations(requested) if not indicators else ():
            if indicators := _named(sources, _literal(variation)):
                break
    except (Unreachable, _Malformed):
        return []
    results: list[Object] = []
    for indicator in indicators[:_MOST_INDICATORS]:
        try:
            items = _values(sources, indicator, params.get("country"), _MOST_VALUES)
        except _Malformed:
            results.append(_unread(sources, indicator, params.get("country")))
        else:
            results += [_statistic(sources, indicator, item) for item in items if item.get("NumericValue") is not None]
    return results


def _child_statistics(sources: Sources, params: Params) -> list[Object]:
    """Return values of indicators about children in the observatory's format, which lacks the indicator's name."""
    try:
        indicators = _named(sources, params["indicator"])
        for term in _CHILD_TERMS if not indicators else ():
            if indicators := _named(sources, term):
                break
        else:
            indicators = indicators or [i for code in _CHILD_CODES for i in _indicators(sources) if i["code"] == code]
    except Unreachable:
        return []
    of_children = [i for i in indicators if any(part in i["name"].lower() for part in _CHILD_NAMES)]
    results: list[Object] = []
    for indicator in of_children[:_MOST_INDICATORS]:
        try:
            items = _values(sources, indicator, params.get("country"), params["limit"])
        except _Malformed:
            continue
        results += [{**item, "AgeGroup": _age_group(indicator["name"])} for item in items]
    return results[: params["limit"]]


def _indicators(sources: Sources) -> list[Object]:
    """Return every declared indicator, and every indicator to which the session's values refer."""
    by_code = {
        row["IndicatorCode"]: {
            "code": row["IndicatorCode"],
            "name": row.get("IndicatorName", ""),
            "broken": row.get("data_error", False),
        }
        for row in sources.rows(WHO, "who_indicator")
    }
    if sources.values_name_indicators:
        for row in sources.rows(WHO, "who_value"):
            code = row.get("code", "")
            by_code.setdefault(code, {"code": code, "name": row.get("indicator", ""), "broken": False})
    return list(by_code.values())


def _named(sources: Sources, part: str) -> list[Object]:
    return [indicator for indicator in _indicators(sources) if part in indicator["name"]]


def _variations(query: str) -> list[str]:
    """Return synonyms of the requested indicator, then the indicator as given and in lower case."""
    lower = query.lower()
    fitting = [word for key, words in _VARIATIONS.items() if key in lower for word in words]
    return list(dict.fromkeys([*fitting, query, lower]))


def _literal(words: str) -> str:
    """Return the value of a string literal that was inserted into a filter unescaped.

    Raises:
        _Malformed: The text contains a quote that is not doubled.
    """
    if "'" in words.replace("''", ""):
        raise _Malformed(words)
    return words.replace("''", "'")


def _values(sources: Sources, indicator: Object, country: str | None, most: int) -> list[Object]:
    """Return values in the observatory's format.

    Raises:
        _Malformed: The country breaks the filter, or the indicator's values are unreadable.
    """
    if indicator["broken"]:
        raise _Malformed(indicator["code"])
    where: dict[str, Any] = {"code": indicator["code"] or None}
    if country:
        where["country"] = _literal(country)
    return [_item(row) for row in sources.rows(WHO, "who_value", where, most)]


def _item(row: Object) -> Object:
    value: Object = {name: number(row[name]) for name in ("value", "low", "high") if name in row}
    return {
        "IndicatorCode": row.get("code"),
        "SpatialDimType": "COUNTRY",
        "SpatialDim": row.get("country"),
        "TimeDimType": "YEAR",
        "TimeDim": row.get("year"),
        "Value": row.get("value_text", _printed(value)),
        "NumericValue": value.get("value"),
        "Low": value.get("low"),
        "High": value.get("high"),
        "Unit": row.get("unit"),
        "AgeGroup": row.get("age_group"),
        "Sex": row.get("sex"),
        "Comments": row.get("comments"),
    }


def _printed(value: Object) -> str | None:
    """Return a value in the observatory's format: `12.3 [10.1-14.9]`."""
    if "value" not in value:
        return None
    span = f" [{text(value['low'])}-{text(value['high'])}]" if "low" in value and "high" in value else ""
    return text(value["value"]) + span


def _statistic(sources: Sources, indicator: Object, item: Object) -> Object:
    unit, year = item["Unit"] or "Unknown", item["TimeDim"] or "Unknown"
    entries = [("Unit", unit), ("Year", year), ("Age Group", item["AgeGroup"]), ("Sex", item["Sex"])]
    comments = " | ".join(f"{label}: {text(value)}" for label, value in entries if value and value != "Unknown")
    value = item["NumericValue"]
    return {
        **_head(sources, indicator),
        "SpatialDim": item["SpatialDim"] or "Global",
        "TimeDim": text(year),
        "Value": value if unit == "Unknown" else f"{text(value)} {unit}",
        "NumericValue": value,
        "Low": item["Low"] or 0,
        "High": item["High"] or 0,
        "Comments": comments or "No additional context",
    }


def _unread(sources: Sources, indicator: Object, country: str | None) -> Object:
    nothing = {"TimeDim": "Unknown", "Value": 0, "NumericValue": 0, "Low": 0, "High": 0}
    return {
        **_head(sources, indicator),
        "SpatialDim": country or "Global",
        **nothing,
        "Comments": "Data not available",
    }


def _head(sources: Sources, indicator: Object) -> Object:
    return {
        "IndicatorCode": indicator["code"],
        "IndicatorName": indicator["name"],
        "SpatialDimType": "Country",
        "TimeDimType": "Year",
        "DataSourceDim": "WHO",
        "DataSourceType": "Official",
        "Date": iso(to_ms(sources.context.now())),
    }


def span(value: Object) -> str:
    """Return the line of a value's range, or "" if an end is missing or 0."""
    low, high = value.get("Low"), value.get("High")
    return f"   Range: {text(low)} - {text(high)}\n" if low and high else ""


def _age_group(name: str) -> str:
    return next((match[0] for ages in _AGES if (match := ages.search(name))), "0-18 years")


STATISTICS = Operation("WHO", "get-health-statistics", 7 * DAY, _statistics)
CHILD_STATISTICS = Operation("ChildHealth", "get-child-health-indicators", 7 * DAY, _child_statistics)
