"""What is known of a file or a folder. Its moments are those of the call: no table keeps others."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.files.rules.paths import ROOT, kind, missing, valid
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    whole = valid(arguments["path"])
    found = kind(context, whole)
    if found is None:
        raise missing(context, whole, "stat")
    entry = context.get("entry", whole)
    moment = context.now().strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
    modes = {"file": "644", "directory": "700" if whole == ROOT else "755"}
    lines = [
        f"size: {4096 if found == 'directory' else len(entry['text'].encode())}",
        f"created: {moment}",
        f"modified: {moment}",
        f"accessed: {moment}",
        f"isDirectory: {'true' if found == 'directory' else 'false'}",
        f"isFile: {'true' if found == 'file' else 'false'}",
        f"permissions: {modes[found]}",
    ]
    said = "\n".join(lines)
    return said, {"content": said}
