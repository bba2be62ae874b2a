"""What is in a folder, with the sizes of files and their sum."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.files.rules.paths import folder, inside, name
from soundstage.kernels.types import Arguments, Reply


def size(count: int) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            break
        count = count / 1024
    return f"{count} B" if unit == "B" else f"{count:.2f} {unit}"


def run(context: AppContext, arguments: Arguments) -> Reply:
    found = inside(context, folder(context, arguments["path"]))
    sizes = {name(one): len(one["text"].encode()) for one in found if one["kind"] == "file"}
    if arguments.get("sortBy") == "size":
        found = sorted(found, key=lambda one: -sizes.get(name(one), 4096))
    lines = []
    for one in found:
        padded = name(one).ljust(30)
        told = size(sizes[name(one)]).rjust(10) if one["kind"] == "file" else ""
        lines.append(f"{'[FILE]' if one['kind'] == 'file' else '[DIR]'} {padded} {told}")
    total = f"Total: {len(sizes)} files, {len(found) - len(sizes)} directories"
    said = "\n".join([*lines, "", total, f"Combined size: {size(sum(sizes.values()))}"])
    return said, {"content": said}
