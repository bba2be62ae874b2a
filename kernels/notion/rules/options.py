"""The options of select, multi-select and status properties."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import OR_NULL, array, choice, json_object, need_one, only, string

OPTION_TYPES = ("select", "multi_select", "status")
_LIMIT = 100
COLORS = ("default", "gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")


def parse(value: Any, path: str) -> Object:
    """Return a valid option of a request, by `name` or `id`.

    Raises:
        NotionError: In the words of the API's validation.
    """
    sent = json_object(value, path)
    if "id" not in sent and "name" not in sent:
        need_one(path, ("id", "name"))
    only(sent, ("id", "name", "color", "description"), path)
    for name in ("id", "name"):
        if name in sent:
            string(sent[name], f"{path}.{name}", limit=_LIMIT)
    if "color" in sent:
        choice(sent["color"], COLORS, f"{path}.color")
    if sent.get("description") is not None:
        string(sent["description"], f"{path}.description", OR_NULL)
    return sent


def parse_list(value: Any, path: str) -> list[Object]:
    """Return the options in a property's configuration."""
    return [parse(item, f"{path}[{i}]") for i, item in enumerate(array(value, path, limit=_LIMIT))]


def check_name(name: str) -> None:
    """Reject an invalid name of an option.

    Raises:
        NotionError: The name has a comma
            (https://community.make.com/t/how-to-add-notion-select-value-containing-commas/18286).
    """
    if "," in name:
        raise invalid(f"Invalid select option, commas not allowed: {name}")


def find(known: list[Object], sent: Object) -> Object | None:
    """Return the option that a request names, by id if it gives one."""
    key = "id" if "id" in sent else "name"
    return next((option for option in known if option.get(key) == sent[key]), None)


def new(context: AppContext, sent: Object) -> Object:
    """Return a new option in its stored form."""
    check_name(sent["name"])
    return {
        "id": context.new_id("option", "{uuid4}"),
        "name": sent["name"],
        "color": sent.get("color", "default"),
        "description": sent.get("description"),
    }


def replace_options(context: AppContext, known: list[Object], sent: list[Object]) -> list[Object]:
    """Return a property's options after an update, which names all that remain.

    An option that is not named is removed; the name of an option found by id stays unchanged (both seen on the live
    API: https://github.com/overengineeringstudio/effect-utils/issues/803).

    Raises:
        NotionError: An existing option gets a new colour, or an unknown id has no name.
    """
    result: list[Object] = []
    for option in sent:
        existing = find(known, option)
        if existing is None and "name" not in option:
            raise invalid(f"Could not find select option with id: {option['id']}")
        if existing is not None and option.get("color", existing.get("color")) != existing.get("color"):
            key = "id" if "id" in option else "name"
            raise invalid(f"Cannot update color of select with {key}: {option[key]}.")
        if existing is None:
            existing = find(result, {"name": option["name"]}) or new(context, option)
        if existing not in result:
            result.append(existing)
    return result


def to_reply(option: Object) -> Object:
    """Return an option as a page's property value shows it."""
    return {name: option.get(name) for name in ("id", "name", "color")}
