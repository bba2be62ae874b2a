"""Lookup of bases, tables and fields, and access to them."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.document_rights import FULL_ACCESS, right_of
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.zones import DEFAULT_ZONE

_BASE_TOKEN = re.compile(r"[A-Za-z0-9]{27}")
_TABLE_ID = re.compile(r"tbl[A-Za-z0-9]{13}")
_VIEW_ID = re.compile(r"vew[A-Za-z0-9]{7}")
_RECORD_ID = re.compile(r"rec[A-Za-z0-9]{7,11}")


def open_base(context: AppContext, caller: Caller, app_token: str, needed: int, refusal: BaseRefusals) -> Object:
    """Return the base, for a caller with the needed right on it.

    With advanced permissions (`is_advanced`), only people who may manage the base pass.

    Raises:
        LarkError: The token is malformed (1254003), the base is unknown (1254040), or the right is missing (1254302, or
            1254304 if the tool writes records).
    """
    base = context.get("bitable_app", app_token)
    if base is None and context.first("table", {"app_token": app_token}) is None:
        raise refusal(1254040 if _BASE_TOKEN.fullmatch(app_token) else 1254003)
    base = base or {"app_token": app_token}
    right = right_of(context, caller, base.get("owner_id"), [app_token])
    if base.get("is_advanced") and right < FULL_ACCESS:
        raise refusal(1254302)
    if right < needed:
        writes_records = "Record" in refusal.tool and not refusal.tool.endswith("_search")
        raise refusal(1254304 if writes_records else 1254302)
    return base


def open_table(context: AppContext, app_token: str, table_id: str, refusal: BaseRefusals) -> Object:
    """Return a table of an open base; a table that is known only by its fields also counts.

    Raises:
        LarkError: The id is malformed (1254004), or the base has no such table (1254041).
    """
    table = context.get("table", table_id)
    if table is None and (field := context.first("field", {"table_id": table_id})):
        table = {name: field[name] for name in ("table_id", "app_token") if name in field}
    if table is None or table.get("app_token", app_token) != app_token:
        raise refusal(1254041 if table or _TABLE_ID.fullmatch(table_id) else 1254004)
    return {**table, "app_token": app_token}


def check_view(table: Object, view_id: str | None, refusal: BaseRefusals) -> None:
    """Reject a view that the table does not have; without a recorded default view all views pass.

    Raises:
        LarkError: The id is malformed (1254005), or there is no such view (1254042).
    """
    if not view_id or view_id == table.get("default_view_id"):
        return
    if not _VIEW_ID.fullmatch(view_id):
        raise refusal(1254005)
    if "default_view_id" in table:
        raise refusal(1254042)


def fields_of(context: AppContext, table_id: str) -> list[Object]:
    """Return a table's fields in order."""
    return [field for field in context.list("field", {"table_id": table_id}) if "field_name" in field]


def open_record(context: AppContext, table_id: str, record_id: str | None, refusal: BaseRefusals) -> Object:
    """Return a record of a table.

    Raises:
        LarkError: The id is malformed or missing (1254006), or there is no such record (1254043).
    """
    record = context.get("record", (table_id, record_id or ""))
    if record is None:
        raise refusal(1254043 if _RECORD_ID.fullmatch(record_id or "") else 1254006)
    return record


def count_revision(context: AppContext, table: Object) -> None:
    """Increase a table's revision, as every change to it or its records does."""
    if context.get("table", table["table_id"]):
        context.update("table", table["table_id"], {"revision": table.get("revision", 0) + 1})


def zone_of(base: Object) -> ZoneInfo:
    """Return the time zone in which a base computes days."""
    return zone(base.get("time_zone", "")) or ZoneInfo(DEFAULT_ZONE)


_LONGEST_ZONE = 100
"""Characters; the names of IANA have at most 32."""


def zone(name: str) -> ZoneInfo | None:
    """Return the time zone with an IANA name, or None."""
    if len(name) > _LONGEST_ZONE:  # zoneinfo imports a package per path segment and fails after a thousand
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
