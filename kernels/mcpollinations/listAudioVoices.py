"""The `listAudioVoices` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments

_VOICES = "alloy echo fable onyx nova shimmer coral verse ballad ash sage amuch dan"


def run(context: AppContext, arguments: Arguments | None) -> dict[str, list[str]]:
    """List the available voices, which the server hard-codes."""
    return {"voices": _VOICES.split()}
