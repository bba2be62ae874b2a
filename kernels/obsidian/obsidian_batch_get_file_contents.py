"""The `obsidian_batch_get_file_contents` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.errors import ObsidianError
from soundstage.kernels.obsidian.rules.replies import TextReply
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Return the contents of several files; unreadable ones are replaced by their errors."""
    parts: list[str] = []
    failed = 0
    for path in arguments["filepaths"]:
        try:
            text = client.read(context, path)
        except ObsidianError as error:
            text = f"Error reading file: {error.message}"
            failed += 1
        parts.append(f"# {path}\n\n{text}\n\n---\n\n")
    return TextReply("".join(parts), ok=not parts or failed < len(parts))
