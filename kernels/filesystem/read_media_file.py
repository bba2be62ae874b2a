"""The `read_media_file` tool."""

from __future__ import annotations

import base64

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.media import Block, block
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import read
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> list[Block]:
    """Read any file as base64, in the content block for its extension."""
    path = valid_path(context, arguments["path"])
    return [block(path, base64.b64encode(read(context, path)).decode())]
