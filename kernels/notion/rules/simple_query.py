"""The MCP server's simple filters and sorts, converted to those of the API."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.simple_options import boolean, find_property, known_option, number, text

_EMPTY = ("is_empty", "is_not_empty")
_TEXT = ("equals", "does_not_equal", "contains", "does_not_contain", *_EMPTY)
_NUMBER = ("equals", "does_not_equal", "greater_than", "less_than", "greater_than_or_equal_to",
           "less_than_or_equal_to", *_EMPTY)  # fmt: skip
_DATE = ("equals", "before", "after", "on_or_before", "on_or_after", *_EMPTY)
_OPTION = ("equals", "does_not_equal", *_EMPTY)
_CONTAINS = ("contains", "does_not_contain", *_EMPTY)
_BY_DEFAULT_CONTAINS = ("title", "rich_text", "multi_select", "relation", "people")


def check(arguments: Object) -> None:
    """Reject filters and sorts without a property; the tool's schema covers the rest.

    Raises:
        NotionError: In the server's words.
    """
    for part in ("filters", "sorts"):
        for i, item in enumerate(arguments.get(part, [])):
            if not item["property"]:
                raise server_error(f"{part}[{i}].property must be a non-empty property name string.")


def to_filter(schema: Schema, filters: list[Object], match: str | None) -> Object | None:
    """Return the API's filter: a single condition, or several joined by `and` (or `or` if any may match).

    Raises:
        NotionError: A property is unknown, an operator is invalid for its type, or a value has the wrong type.
    """
    made = [_filter(schema, item) for item in filters]
    if len(made) < 2:
        return made[0] if made else None
    return {"or" if match == "any" else "and": made}


def to_sorts(schema: Schema, sorts: list[Object]) -> list[Object]:
    """Return the API's sorts.

    Raises:
        NotionError: A property is unknown.
    """
    for sort in sorts:
        find_property(schema, sort["property"])
    return [{"property": sort["property"], "direction": sort.get("direction", "ascending")} for sort in sorts]


def _filter(schema: Schema, item: Object) -> Object:
    name = item["property"]
    config = find_property(schema, name)
    kind = config["type"]
    operator = item.get("operator", "contains" if kind in _BY_DEFAULT_CONTAINS else "equals")
    return {"property": name, kind: {operator: _condition_value(name, config, operator, item.get("value"))}}


def _condition_value(name: str, config: Object, operator: str, value: Any) -> Any:
    kind = config["type"]
    match kind:
        case "title" | "rich_text":
            _need(name, operator, _TEXT)
            return operator in _EMPTY or text(name, value)
        case "number":
            _need(name, operator, _NUMBER)
            return operator in _EMPTY or number(name, value)
        case "date":
            _need(name, operator, _DATE)
            return operator in _EMPTY or text(name, value)
        case "select" | "status" | "multi_select":
            _need(name, operator, _CONTAINS if kind == "multi_select" else _OPTION)
            return operator in _EMPTY or known_option(name, config, text(name, value))
        case "checkbox":
            expected = boolean(name, value)  # the server checks the value first
            if operator not in ("equals", "does_not_equal"):
                raise server_error(f"Checkbox filters only support equals or does_not_equal, got '{operator}'.")
            return expected
        case "relation" | "people":
            if operator not in _CONTAINS:
                raise server_error(
                    f"Relation and people filters only support contains or does_not_contain, got '{operator}'."
                )
            return operator in _EMPTY or text(name, value)
        case _:
            raise server_error(
                f"Property '{name}' has unsupported type '{kind}' for simple querying. "
                "Use notion_query_data_source with raw Notion filter JSON."
            )


def _need(name: str, operator: str, allowed: tuple[str, ...]) -> None:
    if operator not in allowed:
        raise server_error(
            f"Property '{name}' does not support operator '{operator}'. Allowed operators: {', '.join(allowed)}."
        )
