"""A file or a folder gets another path, at which nothing may be; what is below it goes with it."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.files.rules.paths import ROOT, kind, parent, valid
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    source, destination = valid(arguments["source"]), valid(arguments["destination"])
    if kind(context, destination) is not None:
        raise AppError("conflict", f"Destination already exists: {destination}")
    deed = f"rename '{source}' -> '{destination}'"
    if source == ROOT or destination.startswith(f"{source}/"):
        raise AppError("invalid", f"EINVAL: invalid argument, {deed}")
    if kind(context, source) is None or kind(context, parent(destination)) is None:
        raise AppError("not_found", f"ENOENT: no such file or directory, {deed}")
    if kind(context, parent(destination)) == "file":
        raise AppError("invalid", f"ENOTDIR: not a directory, {deed}")
    for one in context.list("entry"):
        if one["path"] == source or one["path"].startswith(f"{source}/"):
            moved = destination + one["path"].removeprefix(source)
            context.delete("entry", one["path"])
            context.create("entry", {"path": moved, "kind": one["kind"], "text": one["text"]})
    said = f"Successfully moved {arguments['source']} to {arguments['destination']}"
    return said, {"content": said}
