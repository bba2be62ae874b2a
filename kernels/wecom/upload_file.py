"""The `upload_file` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.paths import size_of
from soundstage.kernels.wecom.rules.process import handled, point_at, string
from soundstage.kernels.wecom.rules.webhook import upload


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """Upload a file and leave the process with the webhook URL for uploads, even if the file does not exist."""
    return handled(context, "upload_file", _handle, arguments)


def _handle(context: AppContext, arguments: Arguments) -> str:
    path = string(arguments, "file_path")
    point_at(context, "upload_media")
    media_id = upload(context, path, size_of(context, path))
    return f"File uploaded successfully, media ID: {media_id}"
