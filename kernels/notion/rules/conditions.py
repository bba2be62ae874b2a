"""Conditions on a property's value: valid conditions per type, and their evaluation."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, dates, ids, options, rich_text
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import (
    boolean,
    choice,
    json_object,
    need_one,
    number,
    only,
    refuse,
    string,
)

# In the order of the API's list for a filter without a type.
FILTER_TYPES = (
    "title", "rich_text", "number", "checkbox", "select", "multi_select", "status", "date", "people", "files", "url",
    "email", "phone_number", "relation", "created_by", "created_time", "last_edited_by", "last_edited_time", "formula",
    "unique_id", "rollup", "verification",
)  # fmt: skip

_EXISTENCE = ("is_empty", "is_not_empty")
_NUMBER = (
    "equals", "does_not_equal", "greater_than", "less_than", "greater_than_or_equal_to", "less_than_or_equal_to",
)  # fmt: skip
_MOMENT = ("equals", "before", "after", "on_or_before", "on_or_after")
_RELATIVE = ("this_week", "past_week", "past_month", "past_year", "next_week", "next_month", "next_year")
_TEXT = ("equals", "does_not_equal", "contains", "does_not_contain", "starts_with", "ends_with")
# The condition family of each type, and the operators of each family.
_FAMILIES = {
    **dict.fromkeys(("title", "rich_text", "url", "email", "phone_number"), "text"),
    **dict.fromkeys(("number", "unique_id"), "number"),
    **dict.fromkeys(("select", "status"), "option"),
    **dict.fromkeys(("date", "created_time", "last_edited_time"), "date"),
    **dict.fromkeys(("people", "created_by", "last_edited_by"), "person"),
    "multi_select": "options", "checkbox": "checkbox", "relation": "relation", "files": "files", "formula": "formula",
    "rollup": "rollup", "verification": "verification",
}  # fmt: skip
_QUESTIONS = {
    "text": (*_TEXT, *_EXISTENCE),
    "number": (*_NUMBER, *_EXISTENCE),
    "checkbox": ("equals", "does_not_equal"),
    "option": ("equals", "does_not_equal", *_EXISTENCE),
    "options": ("contains", "does_not_contain", *_EXISTENCE),
    "date": (*_MOMENT, *_RELATIVE, *_EXISTENCE),
    "person": ("contains", "does_not_contain", *_EXISTENCE),
    "relation": ("contains", "does_not_contain", *_EXISTENCE),
    "files": _EXISTENCE,
    "formula": ("string", "checkbox", "number", "date"),
    "rollup": ("any", "none", "every", "date", "number"),
    "verification": ("status",),
}
_FORMULA_RESULTS = {"string": "rich_text", "checkbox": "checkbox", "number": "number", "date": "date"}
_RESULT_KEYS = {"checkbox": "boolean"}  # https://developers.notion.com/reference/page-property-values#formula
_RELATIVE_DATES = ("today", "tomorrow", "yesterday", "one_week_ago", "one_week_from_now", "one_month_ago",
                   "one_month_from_now")  # fmt: skip


def check(kind: str, value: Any, path: str) -> None:
    """Reject a condition that is invalid for a type.

    Raises:
        NotionError: In the words of the API's validation.
    """
    family = _FAMILIES[kind]
    sent = json_object(value, path)
    questions = _QUESTIONS[family]
    question = next((question for question in questions if question in sent), None)
    if question is None:
        need_one(path, questions)
    only(sent, (question,), path)
    expected, here = sent[question], f"{path}.{question}"
    if question in _EXISTENCE:
        if expected is not True:
            refuse(here, "`true`", expected)
        return
    match family:
        case "text":
            string(expected, here)
        case "number":
            number(expected, here)
        case "checkbox":
            boolean(expected, here)
        case "option" | "options":
            for i, option in enumerate(expected if isinstance(expected, list) else [expected]):
                string(option, f"{here}[{i}]" if isinstance(expected, list) else here)
        case "date" if question in _RELATIVE:
            only(json_object(expected, here), (), here)
        case "date" if expected not in _RELATIVE_DATES:
            dates.iso(expected, here)
        case "person" if expected != "me":
            ids.need_uuid(expected, here)
        case "relation":
            ids.need_uuid(expected, here)
        case "formula":
            check(_FORMULA_RESULTS[question], expected, here)
        case "rollup" if question in ("date", "number"):
            check(question, expected, here)
        case "rollup":
            inner = json_object(expected, here)
            item = next((item for item in FILTER_TYPES if item in inner), None)
            if item is None:
                need_one(here, FILTER_TYPES)
            only(inner, (item,), here)
            check(item, inner[item], f"{here}.{item}")
        case "verification":
            choice(expected, ("verified", "expired", "none"), here, optional=False)


def check_options(config: Object, name: str, value: Object) -> None:
    """Reject a condition on an option that the property lacks.

    Raises:
        NotionError: The option is unknown; the message lists the known ones.
    """
    kind = config["type"]
    declared = config.get(kind)
    if kind not in options.OPTION_TYPES or not isinstance(declared, dict) or "options" not in declared:
        return
    known = [str(option.get("name")) for option in declared["options"]]
    (expected,) = value.values()
    for option in expected if isinstance(expected, list) else [expected]:
        if isinstance(option, str) and option not in known:
            listed = ", ".join(f'"{one}"' for one in known)
            raise invalid(f'{kind} option "{option}" not found for property "{name}". Available options: {listed}.')


def holds(context: AppContext, kind: str, value: Object, actual: Any) -> bool:
    """Return whether a validated condition holds for a property's value (without its `id` and `type`)."""
    ((question, expected),) = value.items()
    match _FAMILIES[kind]:
        case "text":
            return _text(question, expected, rich_text.plain(actual) if isinstance(actual, list) else actual or "")
        case "number":
            number_value = actual.get("number") if isinstance(actual, dict) else actual
            return _number(question, expected, number_value)
        case "checkbox":
            return (bool(actual) == expected) is (question == "equals")
        case "option":
            return _any_of(question, expected, [actual["name"]] if actual else [])
        case "options":
            return _any_of(question, expected, [option["name"] for option in actual or []])
        case "date":
            return _date(context, question, expected, actual)
        case "person":
            people = actual if isinstance(actual, list) else [actual] if actual else []
            wanted = access.bot(context)["id"] if expected == "me" else expected
            return _any_of(question, ids.normalize_uuid(wanted) if isinstance(wanted, str) else wanted, _ids(people))
        case "relation":
            return _any_of(
                question, ids.normalize_uuid(expected) if isinstance(expected, str) else expected, _ids(actual or [])
            )
        case "files":
            return bool(actual) is (question == "is_not_empty")
        case "formula" | "rollup":
            return _computed(context, question, expected, actual)
        case _:
            return bool(((actual or {}).get("state") or "none") == expected)


def _ids(references: list[Any]) -> list[str]:
    return [str(reference.get("id")) for reference in references if isinstance(reference, dict)]


def _text(question: str, expected: Any, actual: str) -> bool:
    folded = actual.casefold()
    match question:
        case "is_empty":
            return not actual
        case "is_not_empty":
            return bool(actual)
        case "equals":
            return bool(actual == expected)
        case "does_not_equal":
            return bool(actual != expected)
        case "contains":
            return str(expected).casefold() in folded
        case "does_not_contain":
            return str(expected).casefold() not in folded
        case "starts_with":
            return folded.startswith(expected.casefold())
        case _:
            return folded.endswith(expected.casefold())


def _number(question: str, expected: Any, actual: Any) -> bool:
    if question in _EXISTENCE:
        return (actual is None) is (question == "is_empty")
    if actual is None:
        return question == "does_not_equal"
    return bool(_COMPARISONS[question](actual, expected))


def _any_of(question: str, expected: Any, actual: list[str]) -> bool:
    if question in _EXISTENCE:
        return bool(actual) is (question == "is_not_empty")
    matches = any(one in actual for one in (expected if isinstance(expected, list) else [expected]))
    return matches is (question in ("equals", "contains"))


def _date(context: AppContext, question: str, expected: Any, actual: Any) -> bool:
    start = actual.get("start") if isinstance(actual, dict) else actual
    when = dates.parse_time(start) if isinstance(start, str) else None
    if question in _EXISTENCE:
        return (when is None) is (question == "is_empty")
    if when is None:
        return False
    today = context.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if question in _RELATIVE:
        first, last = _span(question, today)
        return first <= when < last + timedelta(days=1)
    if expected in _RELATIVE_DATES:
        wanted, by_day = _relative_date(expected, today), True
    else:
        day = dates.parse_time(expected)
        assert day is not None
        wanted, by_day = day, dates.is_day(expected)
    if by_day:
        when = when.replace(hour=0, minute=0, second=0, microsecond=0)
    return bool(_COMPARISONS[question](when, wanted))


def _relative_date(name: str, today: datetime) -> datetime:
    days = {"today": 0, "tomorrow": 1, "yesterday": -1, "one_week_ago": -7, "one_week_from_now": 7}
    if name in days:
        return today + timedelta(days=days[name])
    return today + relativedelta(months=-1 if name == "one_month_ago" else 1)


def _span(question: str, today: datetime) -> tuple[datetime, datetime]:
    """Return the first and last day of a relative condition; a week starts on Sunday."""
    match question:
        case "this_week":
            sunday = today - timedelta(days=(today.weekday() + 1) % 7)
            return sunday, sunday + timedelta(days=6)
        case "past_week":
            return today - timedelta(days=7), today
        case "past_month":
            return today + relativedelta(months=-1), today
        case "past_year":
            return today + relativedelta(months=-12), today
        case "next_week":
            return today, today + timedelta(days=7)
        case "next_month":
            return today, today + relativedelta(months=1)
        case _:
            return today, today + relativedelta(months=12)


def _computed(context: AppContext, question: str, expected: Object, actual: Any) -> bool:
    """Evaluate a condition on the stored result of a formula or rollup, which is never computed here."""
    result = actual if isinstance(actual, dict) else {}
    if question in _FORMULA_RESULTS:
        return holds(context, _FORMULA_RESULTS[question], expected, result.get(_RESULT_KEYS.get(question, question)))
    ((kind, condition),) = expected.items()
    items = [item.get(kind) for item in result.get("array") or [] if isinstance(item, dict)]
    results = [holds(context, kind, condition, item) for item in items]
    return any(results) if question == "any" else all(results) if question == "every" else not any(results)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda actual, expected: actual == expected,
    "does_not_equal": lambda actual, expected: actual != expected,
    "greater_than": lambda actual, expected: actual > expected,
    "less_than": lambda actual, expected: actual < expected,
    "greater_than_or_equal_to": lambda actual, expected: actual >= expected,
    "less_than_or_equal_to": lambda actual, expected: actual <= expected,
    "before": lambda actual, expected: actual < expected,
    "after": lambda actual, expected: actual > expected,
    "on_or_before": lambda actual, expected: actual <= expected,
    "on_or_after": lambda actual, expected: actual >= expected,
}
