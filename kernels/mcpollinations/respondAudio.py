"""The `respondAudio` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import indented
from soundstage.kernels.mcpollinations.rules.requests import arguments_of, prompt_of, setting
from soundstage.kernels.mcpollinations.rules.service import check
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Speak a text on the server's machine; the caller receives no audio."""
    given = arguments_of(arguments)
    prompt = prompt_of(given)
    check(context, "audio", "generate audio", prompt)
    voice = given.get("voice", setting(context, "DEFAULT_AUDIO_VOICE", "alloy"))
    fields: dict[str, Any] = {"prompt": prompt, "voice": voice, "model": "openai-audio"}
    fields |= {name: given[name] for name in ("seed", "voiceInstructions") if name in given}
    return f"Audio has been played.\n\nAudio metadata: {indented(fields)}"
