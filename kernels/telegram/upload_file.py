"""The `upload_file` tool."""

from __future__ import annotations

import hashlib
from posixpath import basename

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.telegram.rules import files
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments

_BIG = 10 * files.MIB


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Upload a file to Telegram without sending it.

    Source: Telethon's client/uploads.py (upload_file): above 10 MiB it makes an InputFileBig, which has no checksum
    """
    server.client()
    context = server.context
    path = files.readable(context, "upload_file", arguments["file_path"])
    entry = context.disk.stat(path)
    size = 0 if entry is None else entry.size
    checksum = _md5(context, path, size) if size <= _BIG else None
    return indented_json({"path": path, "name": basename(path), "size": size, "md5_checksum": checksum})


def _md5(context: AppContext, path: str, size: int) -> str:
    try:
        content = context.disk.read(path)
    except DiskError:  # too large to be stored; only its size is known, and its content counts as zeros
        content = bytes(size)
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
