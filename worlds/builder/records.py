"""Records of tables: cells by the type of their column, checked against its options."""

from __future__ import annotations

from typing import Any

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.forms import TraceError, known, needed
from soundstage.worlds.builder.pages import add_blocks
from soundstage.worlds.builder.traces import Traces


def add_record(traces: Traces, value: Any, at: int | None, where: str) -> Draft | None:
    """A record of a table: `in`, `by`, `created` (or `at`), `edited_by`, `edited`, `key` and `cells`.

    In apps where a record is a page it has a `text` and an `icon`, too.
    """
    try:
        given = known(value, "key", "in", "by", "created", "edited_by", "edited", "cells", "text", "icon")
        table = traces.require(str(needed(given, "in")), "table")
        by = traces.person(needed(given, "by"))
        created = traces.moment(given["created"]) if "created" in given else at
        if created is None:
            raise TraceError("needs `created`")
        edited_by = traces.person(given["edited_by"]) if "edited_by" in given else by
        edited = traces.moment(given["edited"]) if "edited" in given else created
        if edited < created:
            raise TraceError("was edited before it was made")
        columns = {str(c.values["name"]): c for c in table.values["columns"]}
        cells = dict(given.get("cells", {}))
        for name in cells.keys() - columns.keys():
            raise TraceError(f"{name!r} is no column of {table.key}: {', '.join(columns)}")
        number = traces.records[table.key] = traces.records.get(table.key, 0) + 1
        values: dict[str, Any] = {
            "table": table,
            "by": by,
            "edited_by": edited_by,
            "edited": edited,
            "count": str(number),
            "title": str(cells.get(next(iter(columns), ""), "")),
            "icon": given.get("icon"),
            "cells": {},
        }
        key = f"{table.key}/{given.get('key') or number}"
        draft = traces.plan.add(Draft("record", key, table.app, created, values, where))
    except TraceError as error:
        traces.plan.refuse(where, str(error))
        return None

    def fill() -> None:
        for name, cell in cells.items():
            try:
                values["cells"][name] = _cell(traces, columns[name], cell, draft)
            except (TraceError, texts.UnknownReference) as error:
                traces.plan.refuse(where, f"{name}: {error}")

    traces.later.append(fill)
    if "text" in given:
        add_blocks(traces, draft, str(given["text"]), where)
    return draft


def _cell(traces: Traces, column: Draft, cell: Any, record: Draft) -> Any:
    match column.values["type"]:
        case "people":
            return [traces.person(k) for k in (cell if isinstance(cell, list) else [cell])]
        case "date":
            return traces.moment(cell)
        case "records":
            into = column.values["into"]
            return [traces.require(f"{into}/{k}", "record") for k in cell]
        case "select" | "status":
            return _option(column, cell)
        case "choices":
            return [_option(column, c) for c in cell]
        case "link":
            if isinstance(cell, str):
                target = traces.linkable(cell)
                if target is None:
                    raise TraceError(f"{cell!r} is no thing of this world")
                return {"target": (texts.Reference("link", target),), "title": target.values["title"]}
            return cell
        case _:
            return cell


def _option(column: Draft, cell: Any) -> Any:
    if cell not in column.values["options"]:
        raise TraceError(f"{cell!r} is none of {', '.join(column.values['options'])}")
    return cell
