"""Reading text files, for both names of the tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.lines import decoded, first_lines, last_lines
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import read, stat


def text_of(context: AppContext, requested: str, head: float | None, tail: float | None) -> str:
    """Return a file's text, or its first or last lines; a count of 0 counts as missing.

    Raises:
        Refusal: Both counts are given, the path is not allowed, or the file is unreadable.
    """
    path = valid_path(context, requested)
    if head and tail:
        raise Refusal("invalid", "Cannot specify both head and tail parameters simultaneously")
    if tail:
        stat(context, path)  # the server requests the size before it opens the file
        return last_lines(read(context, path, opens_only=tail < 0), tail)
    if head:
        return first_lines(decoded(read(context, path, opens_only=head < 0)), head)
    return decoded(read(context, path))
