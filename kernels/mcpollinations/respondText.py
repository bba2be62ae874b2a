"""The `respondText` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.answers import answer, is_greeting
from soundstage.kernels.engines.javascript import text
from soundstage.kernels.mcpollinations.rules.requests import arguments_of, prompt_of, setting
from soundstage.kernels.mcpollinations.rules.service import check
from soundstage.kernels.types import Arguments

ASKS_A_MODEL = True


def run(context: AppContext, arguments: Arguments) -> str:
    """Answer a prompt in text."""
    given = arguments_of(arguments)
    prompt = prompt_of(given)
    check(context, "text", "generate text", prompt)
    if (
        model_answer := context.ask_model({"messages": [{"role": "user", "content": prompt}], "most_tokens": 2000})
    ) is not None:
        return model_answer
    if is_greeting(prompt):
        return "Hello from the text model."
    model = text(given.get("model", setting(context, "DEFAULT_TEXT_MODEL", "openai")))
    draw = f"{model}.{text(given.get('seed'))}"
    return answer(context.library, prompt, draw=draw, now=context.now()).text
