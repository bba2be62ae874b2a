"""The `listTextModels` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.mcpollinations.rules.service import check
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments | None) -> dict[str, Any]:
    """List the text models with their input and output types."""
    check(context, "text", "list text models")
    return {"models": [_model(*model) for model in _MODELS]}


_MODELS = (
    ("openai", "OpenAI GPT", ["text", "image"], ["text"]),
    ("openai-audio", "OpenAI GPT with speech", ["text", "image", "audio"], ["audio", "text"]),
    ("mistral", "Mistral", ["text"], ["text"]),
    ("qwen-coder", "Qwen for code", ["text"], ["text"]),
    ("deepseek", "DeepSeek", ["text"], ["text"]),
)


def _model(name: str, description: str, takes: list[str], gives: list[str]) -> dict[str, Any]:
    modalities = {"input_modalities": takes, "output_modalities": gives}
    return {"name": name, "description": description, "tier": "anonymous", **modalities}
