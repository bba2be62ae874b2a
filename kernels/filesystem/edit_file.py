"""The `edit_file` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.diff import patch
from soundstage.kernels.filesystem.rules.editing import edited
from soundstage.kernels.filesystem.rules.lines import decoded, with_newlines
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import read, replace_file
from soundstage.kernels.types import Arguments

_BACKTICKS = re.compile("`+")


def run(context: AppContext, arguments: Arguments) -> str:
    """Replace texts in a file in sequence and return the diff; a dry run changes nothing."""
    path = valid_path(context, arguments["path"])
    before = after = with_newlines(decoded(read(context, path)))
    for edit in arguments["edits"]:
        after = edited(after, edit["oldText"], edit["newText"])
    diff = patch(path, before, after)
    if not arguments["dryRun"]:
        replace_file(context, path, after.encode())
    return _fenced(diff)


def _fenced(diff: str) -> str:
    """Return a diff in a code block, fenced with more backticks than it contains in a row."""
    longest = max(map(len, _BACKTICKS.findall(diff)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}diff\n{diff}{fence}\n\n"
