"""Conditions on one property's value: what may be asked of each type, and whether it holds."""

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

# In the order in which the API lists them when a filter has none.
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
# What a type is asked like, and the questions of each such way.
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
_HELD_AS = {"checkbox": "boolean"}  # https://developers.notion.com/reference/page-property-values#formula
_RELATIVE_DATES = ("today", "tomorrow", "yesterday", "one_week_ago", "one_week_from_now", "one_month_ago",
                   "one_month_from_now")  # fmt: skip


def check(kind: str, value: Any, path: str) -> None:
    """Refuse a condition that cannot be asked of this type.

    Raises:
        NotionError: in the words of the API's validation.
    """
    family = _FAMILIES[kind]
    sent = json_object(value, path)
    questions = _QUESTIONS[family]
    question = next((question for question in questions if question in sent), None)
    if question is None:
        need_one(path, questions)
    only(sent, (question,), path)
    asked, here = sent[question], f"{path}.{question}"
    if question in _EXISTENCE:
        if asked is not True:
            refuse(here, "`true`", asked)
        return
    match family:
        case "text":
            string(asked, here)
        case "number":
            number(asked, here)
        case "checkbox":
            boolean(asked, here)
        case "option" | "options":
            for i, option in enumerate(asked if isinstance(asked, list) else [asked]):
                string(option, f"{here}[{i}]" if isinstance(asked, list) else here)
        case "date" if question in _RELATIVE:
            only(json_object(asked, here), (), here)
        case "date" if asked not in _RELATIVE_DATES:
            dates.iso(asked, here)
        case "person" if asked != "me":
            ids.need_uuid(asked, here)
        case "relation":
            ids.need_uuid(asked, here)
        case "formula":
            check(_FORMULA_RESULTS[question], asked, here)
        case "rollup" if question in ("date", "number"):
            check(question, asked, here)
        case "rollup":
            inner = json_object(asked, here)
            item = next((item for item in FILTER_TYPES if item in inner), None)
            if item is None:
                need_one(here, FILTER_TYPES)
            only(inner, (item,), here)
            check(item, inner[item], f"{here}.{item}")
        case "verification":
            choice(asked, ("verified", "expired", "none"), here, optional=False)


def check_options(config: Object, name: str, value: Object) -> None:
    """Refuse to ask for an option that the property lacks.

    Raises:
        NotionError: naming those there are.
    """
    kind = config["type"]
    declared = config.get(kind)
    if kind not in options.OPTION_TYPES or not isinstance(declared, dict) or "options" not in declared:
        return
    known = [str(option.get("name")) for option in declared["options"]]
    (asked,) = value.values()
    for option in asked if isinstance(asked, list) else [asked]:
        if isinstance(option, str) and option not in known:
            listed = ", ".join(f'"{one}"' for one in known)
            raise invalid(f'{kind} option "{option}" not found for property "{name}". Available options: {listed}.')


def holds(context: AppContext, kind: str, value: Object, held: Any) -> bool:
    """Whether a checked condition holds for a property's value (without its `id` and `type`)."""
    ((question, asked),) = value.items()
    match _FAMILIES[kind]:
        case "text":
            return _text(question, asked, rich_text.plain(held) if isinstance(held, list) else held or "")
        case "number":
            number_held = held.get("number") if isinstance(held, dict) else held
            return _number(question, asked, number_held)
        case "checkbox":
            return (bool(held) == asked) is (question == "equals")
        case "option":
            return _any_of(question, asked, [held["name"]] if held else [])
        case "options":
            return _any_of(question, asked, [option["name"] for option in held or []])
        case "date":
            return _date(context, question, asked, held)
        case "person":
            people = held if isinstance(held, list) else [held] if held else []
            wanted = access.bot(context)["id"] if asked == "me" else asked
            return _any_of(question, ids.dashed(wanted) if isinstance(wanted, str) else wanted, _ids(people))
        case "relation":
            return _any_of(question, ids.dashed(asked) if isinstance(asked, str) else asked, _ids(held or []))
        case "files":
            return bool(held) is (question == "is_not_empty")
        case "formula" | "rollup":
            return _computed(context, question, asked, held)
        case _:
            return bool(((held or {}).get("state") or "none") == asked)


def _ids(references: list[Any]) -> list[str]:
    return [str(reference.get("id")) for reference in references if isinstance(reference, dict)]


def _text(question: str, asked: Any, held: str) -> bool:
    folded = held.casefold()
    match question:
        case "is_empty":
            return not held
        case "is_not_empty":
            return bool(held)
        case "equals":
            return bool(held == asked)
        case "does_not_equal":
            return bool(held != asked)
        case "contains":
            return str(asked).casefold() in folded
        case "does_not_contain":
            return str(asked).casefold() not in folded
        case "starts_with":
            return folded.startswith(asked.casefold())
        case _:
            return folded.endswith(asked.casefold())


def _number(question: str, asked: Any, held: Any) -> bool:
    if question in _EXISTENCE:
        return (held is None) is (question == "is_empty")
    if held is None:
        return question == "does_not_equal"
    return bool(_COMPARISONS[question](held, asked))


def _any_of(question: str, asked: Any, held: list[str]) -> bool:
    if question in _EXISTENCE:
        return bool(held) is (question == "is_not_empty")
    found = any(one in held for one in (asked if isinstance(asked, list) else [asked]))
    return found is (question in ("equals", "contains"))


def _date(context: AppContext, question: str, asked: Any, held: Any) -> bool:
    start = held.get("start") if isinstance(held, dict) else held
    when = dates.moment(start) if isinstance(start, str) else None
    if question in _EXISTENCE:
        return (when is None) is (question == "is_empty")
    if when is None:
        return False
    today = context.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if question in _RELATIVE:
        first, last = _span(question, today)
        return first <= when < last + timedelta(days=1)
    if asked in _RELATIVE_DATES:
        wanted, by_day = _relative_date(asked, today), True
    else:
        found = dates.moment(asked)
        assert found is not None
        wanted, by_day = found, dates.is_day(asked)
    if by_day:
        when = when.replace(hour=0, minute=0, second=0, microsecond=0)
    return bool(_COMPARISONS[question](when, wanted))


def _relative_date(name: str, today: datetime) -> datetime:
    days = {"today": 0, "tomorrow": 1, "yesterday": -1, "one_week_ago": -7, "one_week_from_now": 7}
    if name in days:
        return today + timedelta(days=days[name])
    return today + relativedelta(months=-1 if name == "one_month_ago" else 1)


def _span(question: str, today: datetime) -> tuple[datetime, datetime]:
    """The first and last day that a relative question covers; a week starts on Sunday."""
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


def _computed(context: AppContext, question: str, asked: Object, held: Any) -> bool:
    """A formula's or a rollup's stored result; Soundstage computes neither."""
    result = held if isinstance(held, dict) else {}
    if question in _FORMULA_RESULTS:
        return holds(context, _FORMULA_RESULTS[question], asked, result.get(_HELD_AS.get(question, question)))
    ((kind, condition),) = asked.items()
    items = [item.get(kind) for item in result.get("array") or [] if isinstance(item, dict)]
    found = [holds(context, kind, condition, item) for item in items]
    return any(found) if question == "any" else all(found) if question == "every" else not any(found)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda held, asked: held == asked,
    "does_not_equal": lambda held, asked: held != asked,
    "greater_than": lambda held, asked: held > asked,
    "less_than": lambda held, asked: held < asked,
    "greater_than_or_equal_to": lambda held, asked: held >= asked,
    "less_than_or_equal_to": lambda held, asked: held <= asked,
    "before": lambda held, asked: held < asked,
    "after": lambda held, asked: held > asked,
    "on_or_before": lambda held, asked: held <= asked,
    "on_or_after": lambda held, asked: held >= asked,
}
