"""What is in a folder."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.files.rules.paths import folder, inside, name
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    marks = {"directory": "[DIR]", "file": "[FILE]"}
    said = "\n".join(f"{marks[one['kind']]} {name(one)}" for one in inside(context, folder(context, arguments["path"])))
    return said, {"content": said}
