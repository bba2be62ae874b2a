"""Adding and changing records: limits, new options, numbers, and the replies."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import idempotency
from soundstage.kernels.lark.rules.base.auto_numbers import auto_numbers
from soundstage.kernels.lark.rules.base.bases import (
    count_revision,
    fields_of,
    open_base,
    open_record,
    open_table,
    zone_of,
)
from soundstage.kernels.lark.rules.base.cells import check_cells
from soundstage.kernels.lark.rules.base.duplex_links import mirror
from soundstage.kernels.lark.rules.base.field_types import MULTI_SELECT, SINGLE_SELECT
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.document_rights import EDIT
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.types import Arguments

MOST_RECORDS_PER_CALL = 1000
MOST_RECORDS_PER_TABLE = 20_000
_COLORS = 55
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


def create_records(
    context: AppContext, caller: Caller, arguments: Arguments, written: list[Object], refusal: BaseRefusals
) -> list[Object]:
    """Add records, given as cells, and return them in order.

    A repeated `client_token` returns the first call's result.

    Raises:
        LarkError: See `check_cells` and `open_table`; the client_token is not a UUID v4 (1254037) or belongs to other
            records
            (1255006); there are too many records in the call (1254104) or the table (1254103).
    """
    path, params = arguments["path"], arguments.get("params") or {}
    token = params.get("client_token") or ""
    if token and not _UUID4.fullmatch(token):
        raise refusal(1254037)
    base = open_base(context, caller, path["app_token"], EDIT, refusal)
    table = open_table(context, path["app_token"], path["table_id"], refusal)
    scope = f"base records:{caller.id}:{table['table_id']}"
    made = idempotency.already_made(context, scope, token, dict)
    if made is not None and isinstance(made.get("answered"), list):
        if made.get("written") != written:
            raise refusal(1255006)
        answered: list[Object] = made["answered"]
        return answered
    if len(written) > MOST_RECORDS_PER_CALL:
        raise refusal(1254104)
    present = context.count("record", {"table_id": table["table_id"]})
    if present + len(written) > MOST_RECORDS_PER_TABLE:
        raise refusal(1254103)
    fields = fields_of(context, table["table_id"])
    for cells in written:
        check_cells(context, fields, cells, params.get("user_id_type", "open_id"), refusal)
    now = context.now().astimezone(zone_of(base))
    answered = []
    # No tool deletes records, so the next number is their count.
    for number, cells in enumerate(written, start=present + 1):
        answered.append(_create(context, caller, table, fields, cells, auto_numbers(fields, number, now)))
    count_revision(context, table)
    idempotency.remember(context, scope, token, {"written": written, "answered": answered})
    return answered


def update_records(
    context: AppContext,
    caller: Caller,
    arguments: Arguments,
    changes: list[tuple[str | None, Object]],
    refusal: BaseRefusals,
) -> list[Object]:
    """Change records, each given by its id and cells (null empties one), and return them whole, in order.

    Raises:
        LarkError: See `check_cells`, `open_table` and `open_record`; there are too many records in the call (1254104).
    """
    path, params = arguments["path"], arguments.get("params") or {}
    open_base(context, caller, path["app_token"], EDIT, refusal)
    table = open_table(context, path["app_token"], path["table_id"], refusal)
    if len(changes) > MOST_RECORDS_PER_CALL:
        raise refusal(1254104)
    for record_id, _ in changes:
        open_record(context, table["table_id"], record_id, refusal)
    fields = fields_of(context, table["table_id"])
    for _, cells in changes:
        check_cells(context, fields, cells, params.get("user_id_type", "open_id"), refusal)
    answered = [_update(context, caller, table, fields, str(record_id), cells) for record_id, cells in changes]
    count_revision(context, table)
    return answered


def _create(
    context: AppContext, caller: Caller, table: Object, fields: list[Object], cells: Object, numbers: Object
) -> Object:
    _add_options(context, fields, cells)
    filled = {name: value for name, value in cells.items() if value is not None}
    stamp = {"by": _person(caller), "time": to_ms(context.now())}
    record = context.create(
        "record",
        {
            "table_id": table["table_id"],
            "app_token": table["app_token"],
            "fields": {**filled, **numbers},
            "created_by": stamp["by"],
            "created_time": stamp["time"],
            "last_modified_by": stamp["by"],
            "last_modified_time": stamp["time"],
        },
    )
    mirror(context, fields, record["record_id"], {}, filled)
    return _answer(record["record_id"], filled)


def _update(
    context: AppContext, caller: Caller, table: Object, fields: list[Object], record_id: str, cells: Object
) -> Object:
    _add_options(context, fields, cells)
    key = (table["table_id"], record_id)
    before: Object = (context.get("record", key) or {}).get("fields") or {}
    after = {name: value for name, value in {**before, **cells}.items() if value is not None}
    stamp = {"last_modified_by": _person(caller), "last_modified_time": to_ms(context.now())}
    context.update("record", key, {"fields": after, **stamp})
    mirror(context, fields, record_id, before, after)
    return _answer(record_id, after)


def _answer(record_id: str, cells: Object) -> Object:
    return {"fields": {name: cells[name] for name in sorted(cells)}, "id": record_id, "record_id": record_id}


def _person(caller: Caller) -> Object:
    return {"id": caller.id, "name": caller.name}


def _add_options(context: AppContext, fields: list[Object], cells: Object) -> None:
    """Create select options that a written cell uses for the first time; a name twice in a cell creates two options.

    `fields` passes the new options on to the following records.
    """
    for field in fields:
        value: Any = cells.get(field["field_name"])
        if field.get("type") not in (SINGLE_SELECT, MULTI_SELECT) or not value:
            continue
        options = list((field.get("property") or {}).get("options") or [])
        known = {option.get("name") for option in options}
        new = [name for name in ([value] if isinstance(value, str) else value) if name not in known]
        for name in new:
            color = ((options[-1].get("color") or 0) + 1) % _COLORS if options else 0
            options.append({"id": context.new_id("option", "opt{alnum:7}"), "name": name, "color": color})
        if new:
            field["property"] = {**(field.get("property") or {}), "options": options}
            context.update("field", (field["table_id"], field["field_id"]), {"property": field["property"]})
