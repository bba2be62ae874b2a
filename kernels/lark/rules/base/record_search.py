"""A search of records: size limits and matches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.base import field_types
from soundstage.kernels.lark.rules.base.bases import fields_of, zone_of
from soundstage.kernels.lark.rules.base.record_filter import Surroundings, filter_test
from soundstage.kernels.lark.rules.base.record_order import sort_records
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.types import Arguments

_FILTER_CHARACTERS, _SORT_CHARACTERS = 2000, 1000

Records = list[Object] | Callable[[int, int], list[Object]]
"""Records, or a function that fetches some of them: (limit, offset) → records."""


def check_lengths(data: Arguments, refusal: BaseRefusals) -> None:
    """Reject parts that are too long for the gateway, then for the base.

    Raises:
        LarkError: 99992402; filter (1254107) or sort (1254108) as JSON.
    """
    filter_info, sort = data.get("filter") or {}, data.get("sort") or []
    conditions = filter_info.get("conditions") or []
    for field, items, most in (
        ("view_id", data.get("view_id") or "", 50),
        ("field_names", data.get("field_names") or [], 200),
        ("sort", sort, 100),
        ("filter.conditions", conditions, 50),
        *(("filter.conditions.value", condition.get("value") or [], 10) for condition in conditions),
    ):
        if len(items) > most:
            raise field_violation(field, f"the max len is {most}")
    if len(orjson.dumps(filter_info).decode()) > _FILTER_CHARACTERS:
        raise refusal(1254107)
    if len(orjson.dumps(sort).decode()) > _SORT_CHARACTERS:
        raise refusal(1254108)


def searched_fields(context: AppContext, table_id: str) -> list[Object]:
    """Return a table's fields; without recorded fields, the names in its records with an unknown type."""
    fields = fields_of(context, table_id)
    if fields:
        return fields
    records = context.list("record", {"table_id": table_id})
    names = dict.fromkeys(name for record in records for name in record.get("fields") or {})
    return [{"field_name": name, "type": field_types.UNKNOWN} for name in names]


def find(
    context: AppContext, base: Object, table_id: str, data: Arguments, fields: list[Object], refusal: BaseRefusals
) -> tuple[Records, int]:
    """Return the records that match a search, in its order, and their number.

    Raises:
        LarkError: See `filter_test` and `ordered`.
    """
    filter_info, sort = data.get("filter") or {}, data.get("sort") or []
    of_table = {"table_id": table_id}
    if not filter_info.get("conditions") and not sort:
        return partial(_fetch, context, table_id), context.count("record", of_table)
    around = Surroundings(context.now(), zone_of(base), cache(lambda user_id: _open_id(context, user_id)))
    test = filter_test(filter_info, fields, around, refusal)
    records = [record for record in context.list("record", of_table) if test(record)]
    return sort_records(records, sort, fields, refusal), len(records)


def _fetch(context: AppContext, table_id: str, limit: int, offset: int) -> list[Object]:
    return context.list("record", {"table_id": table_id}, limit=limit, offset=offset)


def _open_id(context: AppContext, user_id: str) -> str:
    """Return the open_id of any user id; an unknown id stays unchanged."""
    user = people.find_by_any_id(context, user_id)
    return str(user["open_id"]) if user else user_id
