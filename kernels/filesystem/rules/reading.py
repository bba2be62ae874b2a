"""The text of a file, for both names of the tool that reads it."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.lines import decoded, first_lines, last_lines
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import read, stat


def text_of(context: AppContext, requested: str, head: float | None, tail: float | None) -> str:
    """All of a file, or so many of its first or last lines; 0 is no count.

    Raises:
        Refusal: both counts are given; the path is not let through; what is there cannot be read.
    """
    path = valid_path(context, requested)
    if head and tail:
        raise Refusal("invalid", "Cannot specify both head and tail parameters simultaneously")
    if tail:
        stat(context, path)  # it asks for the size before it opens the file
        return last_lines(read(context, path, opens_only=tail < 0), tail)
    if head:
        return first_lines(decoded(read(context, path, opens_only=head < 0)), head)
    return decoded(read(context, path))
