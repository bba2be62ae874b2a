"""Upload a film, once DeepSeek takes that. Switched on, the server finds none of the addresses that it guesses at."""

from __future__ import annotations

from typing import NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.experimental import refuse
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> NoReturn:
    refuse(context, "video_upload")
