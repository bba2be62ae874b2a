"""A folder and all below it; names that are to be left out are compared as they stand."""

from __future__ import annotations

from json import dumps

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.files.rules.paths import folder, inside, name
from soundstage.kernels.types import Arguments, Reply


def tree(context: AppContext, whole: str, without: list[str]) -> list[Object]:
    found: list[Object] = []
    for one in inside(context, whole):
        if name(one) in without:
            continue
        shown: Object = {"name": name(one), "type": one["kind"]}
        if one["kind"] == "directory":
            shown["children"] = tree(context, one["path"], without)
        found.append(shown)
    return found


def run(context: AppContext, arguments: Arguments) -> Reply:
    without = arguments.get("excludePatterns") or []
    said = dumps(tree(context, folder(context, arguments["path"]), without), ensure_ascii=False, indent=2)
    return said, {"content": said}
