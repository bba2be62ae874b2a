"""The `video_upload` tool."""

from __future__ import annotations

from typing import NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.experimental import refuse
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> NoReturn:
    """Refuse to upload a video: the tool is disabled, and the endpoints that the server guesses do not exist."""
    refuse(context, "video_upload")
